"""The demo: simulated clusters, agents and a scheduler on one machine, each a process of its own."""
