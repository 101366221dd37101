from agent.settings.fault import ConfigError, Fault
from agent.settings.load import load

__all__ = ["ConfigError", "Fault", "load"]
