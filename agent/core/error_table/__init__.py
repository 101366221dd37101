"""The error table: rules by (source, code) that forbid retries or change what the next run gets (PanDA)."""
