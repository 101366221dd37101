"""Queries for jobs, runs, failures and verdicts: newest first, one page at a time.

``filters`` has the queries, ``port.Records`` the interface and its results, all as plain values. ``stored`` implements
it with the tables of a store, and a program without a store may implement it differently. ``naming`` resolves a text
that a user typed to a job, a run, one of several, or nothing. ``listing`` makes conditions of filters; ``job_list``
merges the jobs that agents reported with those that were submitted and not yet reported (``submitted``).

Every list has a total order, by time and then id, and continues after a key, never after a number of rows (``cursor``,
``paging``). Times are those of events in a cluster: the last event of a job, the first of a run, the failure for a
failure and its verdict. A job with a new event moves to the front.

In the order of another column (``sorting``), and for counts (``counting``, whose results ``groups`` has), everything
that fits is read. ``columns`` has the columns of each list by which it is sorted and counted.

An index answers one filter of a query (``stored`` and ``job_list`` name them per kind). The others are applied to its
results, at most ``paging.SEARCHED`` rows per page: so a page may be short, or empty, and still have a cursor to
continue. Only a page without one is the last. Start with ``port``.
"""
