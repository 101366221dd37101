"""Leader election: the leader acts, standbys only watch.

``election.py`` decides, without I/O, from what a Lease says and a monotonic clock, as client-go's leader election does.
``Elector`` is its shell: it reads and writes the Lease and begins and ends terms. ``SoleLeader`` is used where no
lease is configured. A term (``Term``) is what only the leader does: in mode deployment ``LeaderTerm`` (publish, hold,
release and delete pods), in mode daemonset ``daemonset.failover.NodeFailover``.

A standby replica watches, diagnoses and spools as the leader does, but into the standby buffer of its spool. The leader
writes into the Lease how far behind its publishing is (``Watermark.behind``). The others drop from their buffers what
has certainly been published. When the leader dies, the next one publishes its buffer first. Some events may be
published twice, under the same event id; none is lost.

A leader that cannot renew its lease stops acting before the lease ends for others. Heartbeats carry the epoch,
the number of the term; correctness rests on the stores and on event ids, not on the election.

Start with ``Elector.run``.
"""
