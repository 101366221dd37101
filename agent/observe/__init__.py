"""Observe: what has happened to a pod, from the objects of the API server. Pure; the clock is an argument.

Input: the slim structs of ``agent.kube.objects``, the time, and the stored entry of the pod. Output: occurrences, the
new entry, and the evidence for ``agent.core.classify``. No I/O, no logging: ``agent.cluster`` calls this package and
handles the occurrences.

The steps of one observation:

1. ``occurrence.observe(entry, pod, deleted=..., now=...)`` compares the pod with its ``entry.PodEntry`` and gives what
   just happened: an *end* (``pod-failed``, ``deleted-externally``, ``missing``), a *halt*
   (``never-started``, ``deadline-exceeded``, ``stuck-terminating``), or restarts in place. A new pod gets its identity
   from labels and annotations (``identity``). ``starting`` finds what prevents a pod from starting, and ``deadlines``
   says how long each kind of problem may last; the entry's ``due_at`` is when to observe again even if nothing changes.
2. If settings have Armada's pod checks, ``unstarted`` and ``checks`` may give up a pending pod, or request a retry.
3. ``evidence.read_evidence`` turns pod, events, node and log tails into evidence, with what the spec grants the
   containers and who made the pod (``controller``). Every text is stripped of control characters first
   (``text``): what pods say is hostile.
4. ``doubt`` postpones halts while the agent's clock may be wrong; ``node_clock`` says how far a node's clock is behind,
   so that times written by a kubelet end no deadline early.
5. ``run_pod`` says of the pod of a submitted job how far its run is, and what confirms that it no longer lives.
6. ``removal`` decides, for a pod that the agent itself deletes, when to delete and when to report.

Guarantees: the same states give the same occurrences and the same ``event_id``, whoever observes and however
often, so a restarted agent repeats itself under the same ids. An entry holds all that is remembered of a pod; it is
stored in the spool as JSON, so its field names are a format.

``job_pod`` reads pods as ``agent.core.job`` takes them: ``failctl classify`` says with it what the Job of a failed pod
does, and tests read the pods of Kubernetes' own cases. No process runs Jobs yet.

A new reason to give a pod up before it starts goes into ``starting`` and ``deadlines``, a new occurrence (a value that
all processes know) into ``occurrence`` and ``agent.core.failure``, a new field of evidence into ``containers``,
``events`` or ``node``. Start with ``occurrence.observe``; its cases are the rows of
``tests/observe/occurrences.yaml``.
"""
