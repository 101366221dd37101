"""The error table: its laws, and what it decides where PanDA's cases leave it open."""
