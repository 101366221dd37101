"""The state of every pod, in memory. No I/O.

``PodRegistry`` holds a ``TrackedPod`` per uid: the ``PodEntry`` of ``agent.observe``, and what is under way with the
pod. Controller, diagnoser and removals say what happened to it (``observed``, ``opened``, ``reported``, ``removing``,
...); only its own methods change it. Its properties answer the questions of the workqueues: ``to_hold``,
``releasable``, ``to_remove``. A report is counted when it is given to the spool's writer and again when it is on disk
(``PodRegistry.saved``); a pod that left is dropped when its last report is on its way (``settle``).

There may be a hundred thousand pods, and most just run, so a pod with nothing under way is packed into bytes
(``packed.py``) and unpacked when ``get`` asks for it.

``DueQueue`` has when a pod is due again without news: exactly for the next minutes, roughly for later.

``Backlog`` keeps the uids of pods that had news while the spool took nothing. They are fetched again when it does.

The part of an entry that is worth a write goes to the spool (``lasting``); ``restore`` takes it up after a restart.

Start with ``tracked.py``.
"""
