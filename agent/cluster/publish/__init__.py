"""What goes to the broker: the spool's outbox, and heartbeats.

``Publishing`` runs the publish protocol of ``agent.broker.publish`` on a thread of its own, from the spool's outbox to
the topic ``run-events-<cluster>``. Before the first event it claims the topic for this cluster and makes the
subscriptions, so that no event is dropped. In mode deployment it publishes only between ``begin`` and ``pause``, and
fences every other producer; in mode daemonset every process publishes. The uids of pods whose reports have all been
acknowledged come back on the event loop, and go to the workqueue that takes our finalizer off. ``SafePods`` answers the
question of that queue: for which pods is everything safe, on the broker or on disk (``release`` in the settings)?

``RuleSetReports`` spools by which rules the agent classifies, once for each set.

``Heartbeats`` has a topic for each cluster (``cluster-heartbeats-<cluster>``), a producer and a thread of its own, and
no spool: only the latest counts. It says which runs of submitted jobs the cluster takes.

If the broker is unavailable, events stay in the spool and are sent again; heartbeats are missed. If the process dies
after sending, the next one sends what was not acknowledged under the same sequence numbers, and the broker drops it.
"""
