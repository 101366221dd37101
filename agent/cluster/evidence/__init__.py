"""What is known about a pod when something happened to it: events, nodes, owners, log tails.

A ``Case`` is one occurrence between being seen and being spooled. ``EvidenceGatherer.gather`` turns it into a core
``Evidence`` from memory alone, without asking anybody. The caches behind it are filled by the controller from the
watches, and bounded: ``EventCache`` (the latest events of each pod and node), ``Nodes`` and ``Owners`` (gone ones stay
for a while, because pods outlive them).

What is not in memory is read on demand before the case is diagnosed, within a deadline: ``LogTails`` where the
settings name the namespace, ``EventList`` in mode daemonset. Both are a ``Source``. A new kind of evidence is a new
``Source``, or a new cache that ``EvidenceGatherer`` reads.

Unavailable evidence is recorded as ``MissingEvidence`` and never delays a report. Nothing here survives the
process: after a restart caches are filled again from the lists.

Start with ``case.py`` and ``gather.py``.
"""
