"""Lookout's database: every job, run, failure and decision that messages reported, and counts of them.

``opening`` opens it, with a history of its own in ``migrations``; ``recording`` stores a batch of messages. ``tables``
declares the tables. Whatever the order of messages, and however often each comes, the rows are the same:

- ``runs`` merges what is reported of a run (``facts``): the earliest of some values, the latest of others. What failed
  is chosen among all its failures (``outlines``), so a pod that was deleted after it failed keeps its reason.
- ``failures``, ``decisions`` and requests have their events' ids as keys.
- ``rollups`` counts runs by hour and by node and day. A change of a run takes its former counts back in the same
  transaction. Runs that ended before the ``horizon`` may have been pruned, so they are no longer counted.
- ``pruning`` deletes what is past, with everything that is about it. Messages from before the ``horizon`` do not bring
  it back.

Start with ``recording``.
"""
