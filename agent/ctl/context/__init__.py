"""Contexts: names for the APIs of a scheduler and a Lookout, kept in a file of the user.

``contexts`` reads and writes the file (``FAILCTL_CONFIG``, else ``failctl/config.yaml`` in ``XDG_CONFIG_HOME``).
``commands`` is ``failctl context``. Commands use the APIs of the current context, unless an option or a variable names
others.
"""
