"""What the agent must not lose, in one SQLite file, on disk before any action on a pod.

Input: ``SpoolEntry`` values (``entries.py``): a report, the known state of a pod, a pod to forget, a held report and
its outcome, a list of the pods of runs. Output: rows for the publisher, which sees a ``Spool`` as its ``Outbox``; pods
and reported events for the next process; the uids of pods whose reports have all been acknowledged.


``SpoolWriter`` takes entries from the event loop and commits them in groups, in their order, on a thread.
``Spool.commit`` applies a group in one transaction (``changes.py`` does one entry). Rows live in

- ``outbox``: numbered, to be published; trimmed after the broker acknowledged them;
- ``held``: reports that wait until their pod is removed;
- ``shelf``: the standby buffer, what would be published if this replica were the leader (``standby.py``). Rows get
  numbers only when they move to the outbox, because numbers are given in the order of publishing;
- ``reported``: event ids by pod, kept while the pod exists, so that a restart publishes nothing twice;
- ``pod``: the entries of known pods; ``rejected``: rows the broker never takes; ``meta``: owner, ids, watermarks.

A list of the pods of runs is taken whole, in its order among the reports. Only the last one is remembered, and none is
kept after the broker has it: lists come every minute. A standby drops lists, and a full spool drops them first.

Process killed: WAL with synchronous FULL, so a commit that returned is on disk, and one that did not is not there.
Disk full, ``max_bytes`` or ``max_events`` reached: a commit raises and changes nothing; the writer tries again and the
controller defers pods meanwhile. File damaged: if it is surely ours it is moved aside and a new one is made
(``file.py``); all pods are listed and reported again under the same event ids. Two processes: the lock file refuses the
second one.

Start with ``entries.py`` and ``Spool.commit``; the tables are in ``schema.py``.
"""
