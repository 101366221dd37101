from agent.settings.fault import ConfigError, SettingFault
from agent.settings.load import load

__all__ = ["ConfigError", "SettingFault", "load"]
