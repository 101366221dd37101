"""Runs of submitted jobs: the commands of the scheduler, and what is reported of the pods that they are about.

A pod starts only by uid. A ``create`` makes a pod behind our scheduling gate; the agent reports its uid
(``run-created``); the scheduler accepts it, and sends ``start`` for that uid, or does not, and sends ``discard``. So a
create may be lost, late or repeated. ``stop`` deletes a pod, and is answered by one ``run-stopped``.

From the broker to the API server:

1. ``consumer`` takes commands from the topic ``run-commands-<cluster>`` while this process is the leader and has listed
   all pods (in mode daemonset those of its node and those without one, which no other process sees). Before it does,
   ``gates`` makes sure that the API server keeps scheduling gates, and the subscription is made. Only then do
   heartbeats offer to take runs.
2. ``in_hand`` tries each command until it is done, at most a few at once. If the API server does not answer, or an
   earlier pod of the job has the name of the new one, the command waits. It becomes a dead letter only if it can never
   be handled.
3. ``handler`` does what a command asks for, ``creation`` what a create does. Pure are ``manifest``, which makes the pod
   of a create or says why it must not be made, and ``refusal``, which says what the API server's refusal means.
4. ``lists`` answers the question for all pods of runs, of which ``run_pods`` asks the API server: one list for all who
   asked before it began. ``list_pages`` cuts it into messages, which the spool takes together or not at all.
5. ``answers`` puts the answer into the spool. A command is acknowledged when its effect is at the API server and its
   answer on disk. Only a ``stop`` is acknowledged before: its answer comes when the pod has ended.

From the pods back: the controller gives every new state of a pod to ``reports``, which spools what it says of the run:
created, pending (our gate is gone), running, succeeded, and the answer to a stop. Failures go the way of all failures,
with what confirms that the pod no longer lives. Whichever process sees the pod reports it: in mode daemonset that of
its node. A stop is noted on the pod before the pod is deleted, so that every process knows of it. ``envelope`` makes
the events.

The agent keeps no file of runs: all is read from the pods again. If the process dies, a command that was not
acknowledged is delivered again, and has then the effect of once: a create finds its pod, a gate that is gone is gone, a
deletion names the uid. If another process becomes the leader, with a spool of its own, the same holds: what the first
one had spooled and not published is read from the pod again, which our finalizer keeps until it is published.

Start with ``handler.CommandHandler.handle``.
"""
