"""``failctl get``: jobs, runs, failures and verdicts as lists, newest first.

``commands`` has the options, ``request`` reads them, ``pages`` reads until there is the requested number of records,
and ``output`` writes them. ``columns`` are those of a list: pods come first where no queue has them. ``table`` prints
them: a narrow terminal gets shorter namespaces, then fewer columns, but always the name, the category and the fault.
``folding`` makes one line of failures of a job that are the same. A table shows a unique end of each id, which
``failctl explain`` accepts.

``agent.ctl.counts`` writes numbers instead (``--count-by``). ``watch`` asks again and again, at the ``pace`` that a
server can bear or when a Lookout says that something changed.

Records come through ``agent.store.records.port``: a command does not know that there is a store.
"""
