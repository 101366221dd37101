"""The error table: PanDA's rules on error codes, applied to our failures (reference/panda-retry.md).

In come a compiled table, the errors of a failure as (source, code, message), and where its job belongs (architecture,
release, work queue). Out goes a ``TableAnswer``: limits on the runs of the job, more memory, more time, and notes. A
limit can only forbid, and from one run to the next it is only ever lowered.

How one failure flows through:

1. ``codes.errors_of`` gives the errors of a failure: at most one for each source, by lines over exit codes, signals,
   reasons, categories and occurrences. ``expression`` reads the job's attributes from labels and annotations.
2. ``engine.ask`` asks about one error after the other until rules have acted. For each it takes the rules of that
   (source, code) that have not expired (``compiled``) and lets ``strict`` or ``compatible`` choose one of each kind.
3. ``answer.ask_table`` puts the outcome in our words. It is where to begin.

There are two ways to read a table (``ReadingMode``). *Strict* reads it as an operator would expect: the answer does not
depend on the order of rows, and a rule that is not active only logs. *Compatible* reads it as PanDA does today, defects
included; it lowers limits inside the table, so the answer carries the table to ask next (``TableAnswer.error_rules``).

``diag`` holds a rule's ``ErrorDiag``, a pattern of Python's, against a message. RE2 runs it wherever both would answer
alike (``dialect`` knows where they differ), else a backtracking search with a time limit, if the caller has one.

``files``, ``memory``, ``memory_factor``, ``cpu_time``, ``reduce_input``, ``split_rule`` and ``hooks`` are what PanDA
does to its own tasks and files. ``worker_error`` is the code that Harvester gives a failed pod. ``play`` asks about a
series of failures, for ``failctl error-rule``.
"""
