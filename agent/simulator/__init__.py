"""The simulator: a Kubernetes API server and kubelet over HTTP, for the demo, load tests and fault tests.

It serves pods, nodes, events, leases and namespaces as a real server would, down to the words of its errors, so that
kubectl works with it, and it plays failure scripts on pods. Nothing of ours is imported: whatever the agent and the
simulator agree on, they agree on over the wire. ``tests/contract`` holds it to that: the same claims, and the same
commands of kubectl, run against it and against a real server.

A request goes through ``server`` (paths, injected faults), ``registry`` (what each verb does: preconditions,
finalizers, grace periods) and ``store`` (objects, versions, history), from which ``listing`` and ``watching`` also
read. ``admission`` adds to what clients create, or refuses it; ``gates`` and ``binding`` say which pod may be bound.
``status`` has the refusals. Who asks for a table gets one from ``tables``, with the columns of ``printing`` and
``pod_printing``. ``pages`` serves what clients ask before: ``discovery``, ``openapi``; ``kubeconfig`` leads them here.

A run goes through ``workload``, which makes pods by a ``plan``; ``kubelet``, which notices them in the store and plays
their ``script`` step by step on one ``timeline``; ``pod_status``, which computes what a kubelet would write; and
``record``, which writes down each run that ended. That record is the truth that tests and the demo compare with. A pod
with a scheduling gate is noticed when its last gate is off. ``ledger`` knows which containers ran when, also of pods
that were deleted by force, and so whether two pods of a job ran at once. ``garbage`` is the pod garbage collector.
``simulation`` makes and connects all of it.

State is in memory. A restarted simulator is a new history under newer resource versions, and old watches get 410. An
error in a script ends the process, so that no test passes by accident. What is not simulated is listed in ``__main__``.

A new failure is a new script (``config/simulator``), without code; a new kind of object goes into ``kinds``. Begin
reading with ``registry`` for the server, with ``kubelet`` for the runs.
"""
