"""Mode daemonset: each node's process watches its own node, and an elected one watches what nobody else sees.

Each process watches one node and its pods by field selector (``NodeInformers``). Events are not watched: each such
watch would cost the API server as much as a watch of all events. They are listed for each failed pod
(``evidence/event_list.py``).

While a process sees its pods it renews a Lease of its node (``NodeLease``). One process is elected (room
``leader``). While it leads, ``NodeFailover`` watches all nodes and the pods without a node, reads the node leases, and
lets the pure function ``to_cover`` say which nodes it must cover: those that are not Ready, those that are gone and may
have left pods behind, and those whose process was silent for too long. It watches the pods of at most so many of them;
the rest are counted and logged.

Two processes may see one pod for a while. They report it under the same event id, so the scheduler counts it once. If
the elected process dies, the next one begins with a fresh term: nobody counts as silent before it has listened for the
whole time.

Begin with ``failover.py``.
"""
