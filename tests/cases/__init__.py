"""Cases that other systems pass, run through ours: the files as they are, and an adapter for each."""
