"""The cluster agent: it watches one cluster, finds out why pods fail, and publishes every report once.

Input: pods, events, nodes, Jobs and JobSets of one API server; settings and rule files; commands on the topic
``run-commands-<cluster>``. Output: run events on the topic ``run-events-<cluster>``, heartbeats, and changes to pods:
our finalizer added and removed, pods deleted; those of submitted jobs created and started.

The path of one pod through the packages, left to right:

    watch, daemonset  ->  controller  ->  evidence, diagnosis  ->  spool  ->  publish  ->  actions

1. A reflector of ``watch`` (in mode daemonset also of ``daemonset``) hands a change to ``Tombstones``, which asks the
   API server about pods whose end was not seen, and passes the rest on to ``PodController``.
2. ``PodController`` reconciles one pod at a time: ``agent.observe`` turns (what was known, the pod now) into
   occurrences; each new occurrence becomes a ``Case``.
3. ``Diagnoser`` gathers the evidence of the case, classifies it, waits a moment for late events if the match is weak,
   and puts a report, or a held report, into the ``SpoolWriter``.
4. The writer commits groups to the ``Spool`` on disk. Only then is anything done to the pod.
5. ``Publishing`` sends the outbox of the spool to the broker, in order, from a thread of its own.
6. When the broker has acknowledged every report of a pod, the workqueues of ``actions`` remove our finalizer. Another
   workqueue deletes pods that the agent itself removes.

Next to this path, ``runs`` handles the commands of the scheduler about submitted jobs, and reports how far their pods
are. It gives its reports to the same ``SpoolWriter``.

In addition, ``pods`` keeps the state of every pod, ``leader`` elects the replica that acts, ``config`` reloads changed
files, ``rbac`` reviews permissions, ``time_check`` keeps the clock by the API server's time. ``wiring`` and ``app`` put
the parts together; ``process`` runs and drains them.

Everything but the disk, the broker and slow rules runs on one event loop. A burst of failures makes no task, timer or
request per pod.

Guarantees when something dies. Process killed: the spool is as of its last commit; the next process lists all pods and
reports what is new, under the same event ids. Disk full: pods wait in the backlog by uid, and our finalizer keeps those
that ask for it. Clock wrong: it is set by the API server's time before anything is watched; while that is not known
within five seconds, nothing is given up. API server unavailable: the watches resume, and tombstones are checked. Broker
unavailable: the spool fills, and pods keep our finalizer. Another replica is the leader: this one reports into its
standby buffer and changes no pod.

Start with ``controller.py``; ``wiring/pipeline.py`` shows who is connected to whom.
"""
