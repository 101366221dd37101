"""What the scheduler decides by: its settings and retry policies, read from files at start and again when they change.

``files.ConfigurationFiles.read`` gives a ``Configuration``: settings, the compiled policies in effect (``policies``)
and a revision, a hash of all that decisions depend on. ``reloader.Reloader`` looks at the files from time to time and
hands a changed configuration to the consumer. Files with a fault are refused as a whole, and the last good ones stay
in effect. Some settings need a restart; ``files`` lists those that do not.
"""
