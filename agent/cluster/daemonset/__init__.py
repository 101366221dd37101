"""Mode daemonset: each node's process watches its own node, and the leader watches what nobody else sees.

Each process watches one node and its pods by field selector (``NodeInformers``). Events are not watched: each such
watch would cost the API server as much as a watch of all events. They are listed for each failed pod
(``evidence/event_list.py``).

While a process sees its pods it renews a Lease of its node (``NodeLease``). One process is elected (package
``leader``). While it is the leader, ``NodeFailover`` watches all nodes and the pods without a node, and reads the node
leases. The pure function ``to_cover`` returns the nodes that it must cover: those that are not Ready, those that are
gone and may have left pods behind, and those whose process has not renewed its lease for too long. It watches the pods
of a limited number of them; the rest are counted and logged.

Two processes may see one pod for a while. They report it under the same event id, so the scheduler counts it once. If
the leader dies, the next one starts a new term: no lease counts as expired before it has been watched for the whole
time.

Start with ``failover.py``.
"""
