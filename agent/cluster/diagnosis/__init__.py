"""From a case to what is spooled: classify, wait for late evidence if that may help, report, hold or amend.

``Diagnoser.begin`` takes a case. If there is something to read on demand, the case goes to the log readers first.
``diagnose`` then classifies its evidence (``Diagnosis``, the rules in force). A strong match is reported at once. With
no match or a weak one the case waits in ``EvidenceWait``, bounded, until an event about its pod arrives or its time has
passed. The report goes to the ``SpoolWriter``; as a ``Held`` one where ``Removals`` takes the pod away first and its
failure is published when it is gone. For a short time after a report, ``Amendments`` keeps the case: late evidence
that gives another category is published once, as an amendment that changes no verdict.

A case that raises stays open: its pod keeps our finalizer, and the next process sees it again. When the process
dies, cases that were not spooled are found again from the list of pods, under the same event ids.

``NeverCreated`` is apart from all this: it takes events of owners that could not create a pod, and reports each cause
once. It has no pod, waits for nothing, and is remembered in the spool under the owner's uid.

Start with ``Diagnoser.diagnose``.
"""
