"""Contexts: the schedulers that somebody works with, by name, in a file of their own.

``contexts`` reads and writes the file (``FAILCTL_CONFIG``, else ``failctl/config.yaml`` below the folder of settings of
the user). ``commands`` is ``failctl context``. A context that is current sends commands to its API.
"""
