"""The informer: mirrors one kind of object, and hands every change to one handler, in order.

A :class:`~agent.kube.reflector.reflector.Reflector` lists once (streamed where the server supports WatchList, else in
pages), then watches. Each object passes through the :class:`~agent.kube.reflector.cache.Cache`, which keeps one pruned
entry for it, drops duplicates, and yields a ``Change``: added, modified or deleted. The handler is awaited before the
next change is read, so a full queue behind it slows down the server and not this process.

Whatever ends a list or a watch, ``run`` starts again after a back-off: from the last resource version, or with a new
list after a 410 or after bytes that cannot be read. A new list names everything there is; entries it does not name
(``ListedUids``) are deletions that no watch saw, and their ``Change`` has no object (client-go:
DeletedFinalStateUnknown). Nothing is kept on disk: a restarted process lists again and sees everything as added.

Guarantees: with a cache, and within one process, no change twice and none out of order for one object; a missed
deletion is found by the next list. It does not promise every state between two lists. Sizes, limits and waits are in
:class:`~agent.kube.reflector.reflector.Pace`; what is counted is in :mod:`~agent.kube.reflector.metrics`.
Start with ``Reflector.run``.
"""
