"""Actions on pods: our finalizer added and removed, pods deleted, pods fetched again.

Each action is a ``PodWorkqueue``: a set of uids, a ``select`` that says which of them need the action now, a ``do``
that makes one request, and a back-off per pod. Adding a uid too often is harmless, because ``select`` is asked each
time and every request may be repeated. The queues are ``add_queue`` and ``remove_queue`` (``finalizer.py``),
``delete_queue`` and ``refetch_queue``; a new action is one more such function, wired in ``wiring/pipeline.py``.

``Removals`` decides which pods the agent deletes and follows each until it is gone. Its order is: the failure is
held in the spool, the pod's entry says that it is being removed, both are on disk, our finalizer goes on, the pod is
deleted, the held failure is published, our finalizer comes off.

The queues keep no state of their own: after a restart the same uids are selected again from ``PodRegistry``. On a
standby the queues do nothing; a new leader adds every pod.

Start with ``workqueue.py``, then ``removal.py``.
"""
