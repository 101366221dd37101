"""``failctl get``: jobs, runs, failures and verdicts as lists, newest first.

``commands`` has the options, ``times`` reads ``--since 2h``, ``get`` asks for pages until so many records are found as
were asked for, and ``table`` makes lines of them: on a narrow terminal the least important columns go first, and never
the id, the category, the fault or the decision. What is shown of an id in a table is an end of it that names no other,
so that ``failctl explain`` knows it.

Records come through ``agent.store.records.port``: a command does not know that there is a store.
"""
