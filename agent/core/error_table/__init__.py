"""The error table: PanDA's rules on error codes, applied to our failures.

Sources: PanDA's wiki, twiki.cern.ch/twiki/bin/view/PanDA/PanDARetrialModule, and PanDAWMS/panda-server at 9cc36033,
pandaserver/taskbuffer/retryModule.py and, for the effects of actions, db_proxy_mods next to it.

Input: a compiled table, the errors of a failure as (source, code, message), and the attributes of its job
(architecture, release, work queue). Output: a ``TableAnswer`` with limits on the runs of the job, more memory, more
time, and notes. A limit can only forbid, and is only ever lowered from one run to the next.

The steps for one failure:

1. ``codes.errors_of`` derives the errors of a failure, at most one per source, from exit codes, signals, reasons,
   categories and occurrences. ``expression`` reads the job's attributes from labels and annotations.
2. ``engine.ask`` evaluates one error after the other until rules have acted. For each error it takes the rules for this
   (source, code) that have not expired (``compiled``), and ``strict`` or ``compatible`` chooses one of each kind.
3. ``answer.ask_table`` translates the outcome. Start reading there.

There are two modes (``ReadingMode``). *Strict* behaves as an operator would expect: the result does not depend on the
order of rows, and an inactive rule only logs. *Compatible* behaves as PanDA does today, including its defects; it
lowers limits inside the table, so the result contains the table for the next failure (``TableAnswer.error_rules``).

``diag`` matches a rule's ``ErrorDiag``, a Python pattern, against a message. RE2 runs it if both engines agree
(``dialect`` knows where they differ), else a backtracking search with a time limit, if the caller has one.

``memory``, ``cpu_time`` and ``split_rule`` are what PanDA does to its own tasks. ``worker_error`` is the code that
Harvester gives a failed pod. ``play`` evaluates a
series of failures, for ``failctl error-rule``.

No process decides by a table yet: ``agent.core.decision`` can ask one, but the scheduler gives it none, and only stores
rules. ``failctl error-rule decide`` is the only program that applies them. No program imports ``hooks`` (when PanDA
asks its rules, and for which errors), ``files``, ``memory_factor`` and ``reduce_input`` (what its rules do to the files
and memory of PanDA's tasks, which our jobs do not have): cases of tests/cases compare them with PanDA.
"""
