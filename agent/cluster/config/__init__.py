"""Settings and rules, read from their files, compiled, and read again when they change.

``files.configuration_files`` says which files; reading them gives a ``Configuration``: validated settings and
``RulesInForce`` (categories compiled to a classifier, redaction rules). ``files.reloader`` polls them with
``agent.process`` and passes a valid new configuration to ``ClusterAgent.use``. The fields of ``ClusterSettings`` say
which settings take effect at once; all others need a restart, and the log names them.

``checks.py`` turns settings of checks and deadlines into the values for ``agent.observe``.
"""
