"""``failctl error-rule``: check error tables, try them, and convert them between formats.

``lint`` is ``failctl lint`` with the options of tables. ``decide`` applies a table to each failure of
one job. ``import`` and ``export`` (``files.convert``) rewrite a table in another format. ``files`` reads tables and
error codes for all of them; without ``--codes`` the shipped error codes are used.

``--mode strict`` refuses rows that can have no effect; ``--mode compatible`` treats them as PanDA does.
"""
