"""failure-agent: says why a pod failed, decides what happens next, and shows its reasoning."""

__version__ = "0.1.0.dev0"
