"""The cluster agent: it watches one cluster, says why pods fail, and gives every report to the broker once.

In: pods, events, nodes, Jobs and JobSets of one API server; settings and rule files. Out: run events on the topic
``run-events-<cluster>``, heartbeats, and changes to pods: our finalizer put on and taken off, pods deleted.

How one pod flows through the rooms, left to right:

    watch, daemonset  ->  controller  ->  evidence, diagnosis  ->  spool  ->  publish  ->  actions

1. A reflector of ``watch`` (in mode daemonset also of ``daemonset``) hands a change to ``Tombstones``, which asks the
   API server about pods that left the watch unseen, and passes the rest on to ``PodController``.
2. ``PodController`` reconciles one pod at a time: ``agent.observe`` turns (what was known, the pod now) into
   occurrences; each new occurrence becomes a ``Case``.
3. ``Diagnoser`` gathers the evidence of the case, classifies it, waits a moment for late events if the match is weak,
   and puts a report, or a held report, into the ``SpoolWriter``.
4. The writer commits groups to the ``Spool`` on disk. Only then is anything done to the pod.
5. ``Publishing`` sends the outbox of the spool to the broker, in order, from a thread of its own.
6. When the broker has acknowledged every report of a pod, the workqueues of ``actions`` take our finalizer off. Pods
   that the agent itself removes are deleted by another workqueue.

Beside this flow: ``pods`` remembers every pod, ``leader`` decides which replica acts, ``config`` reads the files again
when they change, ``rbac`` reviews permissions. ``wiring`` and ``app`` put the parts together; ``process`` runs and
drains them.

Everything but the disk, the broker and slow rules runs on one event loop. A burst of failures makes no task, timer or
request per pod.

What holds when something dies. Process killed: the spool is as of its last commit; the next process lists all pods and
reports what is new, under the same event ids. Disk full: pods wait in the backlog by uid, and our finalizer keeps those
that ask for it. API server away: the watches resume and tombstones are asked about. Broker away: the spool fills, and
pods keep our finalizer until it answers. Another replica leads: this one reports into its standby buffer and touches
no pod.

Begin with ``controller.py``; ``wiring/pipeline.py`` shows who is connected to whom.
"""
