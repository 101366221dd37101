"""What the leader among schedulers does: it leases runs of submitted jobs to clusters, and sends the commands.

``leadership`` becomes the leader when there is none, and runs a pass every ``runs.interval``. A pass
(``scheduling_pass``) looks at the jobs that are due, in order: it repeats commands that nobody answered, ends waits
whose time is over, and leases what may run to the first cluster that takes it. ``placement`` (pure) chooses that
cluster, or says why there is none; ``rooms`` counts the room while a pass takes it; ``terms`` are the settings,
policies and queues of now. ``granted`` asks the limits of a waiting retry again, and gives it more memory.

``list_requests`` asks clusters for lists of the pods of their runs, ``inventories`` takes each whole list: the orphans
in it, and open runs without a pod. ``consumed`` says whether their absence proves anything; ``missing`` makes the
failure of a run whose pod is gone. ``gaps`` joins the numbers of messages that consumers add, and finds lost ones.

``outbox`` lets the publisher (``agent.broker.publish``) publish the messages that deciding transactions put into the
store's outbox, one numbering for each topic; ``publishing`` runs one publisher for each. ``heartbeats`` keeps what
clusters offer. Every scheduler does that, not only the leader.

All of it is fenced by the leader's epoch (``agent.store.leader``): each transaction locks the leader row and compares
it, so that a leader that was replaced meanwhile changes nothing. If the leader dies, the next one goes on from the
store: what was leased has its create in the outbox, in the same transaction. A command that was published twice, or
never, is harmless (``agent.core.lifecycle``).
"""
