"""The scheduler's settings and retry policies, read from files at start and again when they change.

``files.configuration_files`` says which files; reading them gives a ``Configuration``: settings, the compiled policies
in effect (``policies``) and a revision, a hash of all that decisions depend on. ``files.reloader`` looks at them from
time to time, using ``agent.process``, and passes a changed configuration to the consumer. Some settings need a
restart; ``files`` lists those that do not.
"""
