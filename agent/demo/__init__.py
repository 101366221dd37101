"""The demo: simulated clusters, agents and a scheduler on one machine, each a process of its own."""

from agent.demo.main import main

__all__ = ["main"]
