"""How a process is configured: a YAML file, the environment and the command line, read into one frozen model.

In comes a pydantic model, the path of a file, the environment, and what the command line said. Out comes a checked
model, or a ``ConfigError`` with every fault of all three sources at once, each with its place: ``file:line:column``, a
variable, or the command line.

``load.load`` is the whole way:

1. ``marks`` reads the YAML into plain values and remembers the place of each.
2. ``environment`` gives the variables ``FAILURE_AGENT_<FIELD>__<FIELD>``. The command line gives dotted paths. Both
   override the file, the command line last. ``shape`` finds the field that a name means, in any case.
3. pydantic validates everything together: unknown fields are errors, and nothing is converted silently.

``ClusterSettings`` (``cluster``) and ``SchedulerSettings`` (``scheduler``) are the two models. ``base`` holds what both
share: durations, URLs without passwords, ports, logs, health. Secrets are never settings: a setting names a file, and
``read_secret`` reads it. The descriptions of the fields appear in ``failctl schema settings``.

``reloading`` looks whether files have changed, by their content. A change counts once two checks in a row have found
the same content, so that a half-written file is not taken. Files that cannot be used are reported once, and the last
good values stay in effect. The caller decides which settings apply at once and which need a restart.

To add a setting, open the model it belongs to. To change how sources are combined, open ``load``.
"""

from agent.settings.fault import ConfigError, SettingFault
from agent.settings.load import load

__all__ = ["ConfigError", "SettingFault", "load"]
