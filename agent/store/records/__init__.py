"""What was recorded, found and listed: jobs, runs, failures and verdicts, newest first, a page at a time.

``port.Records`` is what those who ask see, with the questions and the answers as plain values; ``stored`` answers from
a store's own tables, and a program that has no store may answer by other means. ``identifiers`` says what a text that
somebody typed names: a job, a run, one of several, or nothing.

Every list is in one total order, by time and then id, and goes on after a key, never after a number of rows
(``cursor``, ``paging``). Times are those at which things happened in a cluster: of a job its last event, of a run its
first, of a failure and of the verdict on it the failure's. A job to which something happens moves to the front.

One filter of a question is answered by an index (``stored``: each kind's list of them). The others are looked for among
what it gives, at most ``paging.SEARCHED`` rows a page: so a page may be short, or empty, and still have a cursor to go
on with. Only a page without one is the last. Begin with ``port``.
"""
