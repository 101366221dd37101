"""``failctl get``: jobs, runs, failures and verdicts as lists, newest first.

``commands`` has the options, ``get`` parses ``--since 2h``, and reads pages until it has the requested number of
records, and ``table`` prints them: a narrow terminal hides the least important columns first, but never the id, the
category, the fault or the decision. A table shows a unique end of each id, which ``failctl explain`` accepts.

Records come through ``agent.store.records.port``: a command does not know that there is a store.
"""
