from agent.broker.eventlog.database import UnusableLog
from agent.broker.eventlog.log import EventLog, LogSettings
from agent.broker.eventlog.retention import Retention

__all__ = ["EventLog", "LogSettings", "Retention", "UnusableLog"]
