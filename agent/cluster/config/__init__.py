"""Settings and rules, read from their files, compiled, and read again when they change.

``ConfigurationFiles.read`` gives a ``Configuration``: validated settings and ``RulesInForce`` (categories compiled to
a classifier, redaction rules). ``Reloader`` looks at the files now and then and hands a good new configuration to
``ClusterAgent.use``. Files with faults change nothing: the last good configuration stays in force, and the log says
why. Categories, redaction, deadlines and log settings hold at once; all others need a restart, and the log names them.

``checks.py`` turns settings of checks and deadlines into the values that ``agent.observe`` asks.
"""
