"""How a process is configured: a YAML file, the environment and the command line, read into one frozen model.

``load.load`` takes a pydantic model, the path of a file, the environment and the options of the command line. It
returns a checked model, or raises ``ConfigError`` with every fault of all three sources at once, each with its place:
``file:line:column``, a variable, or the command line.

Its steps:

1. ``marks`` reads the YAML into plain values and remembers the place of each. ``agent.documents`` does the reading, so
   that a text means the same in settings as in rule files.
2. ``environment`` gives the variables ``FAILURE_AGENT_<FIELD>__<FIELD>``. The command line gives dotted paths. Both
   override the file, the command line last. ``shape`` finds the field that a name means, in any case. A variable of a
   setting that only another process has is ignored.
3. pydantic validates everything together: unknown fields are errors, and nothing is converted silently. ``wording``
   says what is wrong in our words, with the fix; no message of pydantic reaches a person.

``document`` knows settings among other documents and checks them as one of those, for ``failctl lint``.

``ClusterSettings`` (``cluster``), ``SchedulerSettings`` (``scheduler``) and ``LookoutSettings`` (``lookout``) are the
models; ``processes`` has all of them.
``broker`` and ``store`` are sections that commands read without the rest. ``base`` holds what all share: durations,
sizes, URLs without passwords, ports, logs, health. Secrets are never settings: a setting names a
file, and ``read_secret`` reads it. The descriptions of the fields appear in ``failctl schema settings``.

When files are read again, ``agent.process`` decides. ``Settings.changed`` names
those that differ between two readings. ``effect`` has what the fields of these models say of themselves, for all that
is below them: whether a change needs a restart, and which file to open to see what the setting does. Its description,
its default and this are in one place, from which docs/settings.md, the schema and the log of a reload are made.

To find ``spool.maxBytes``, open the field ``spool`` of the model; to add a setting, open the model it belongs to. To
change how sources are combined, open ``load``.
"""
