"""failure-agent: says why a pod failed, decides what happens next, and shows its reasoning.

Two processes: ``failure-agent cluster`` in each executor cluster, ``failure-agent scheduler`` in the control plane.

The path of a failure: ``kube`` watches pods; ``observe`` finds what happened to one; ``core.classify`` finds why; the
cluster agent writes one message to its ``spool`` and publishes it through ``broker``; the scheduler consumes it,
decides in ``core.decision``, and stores verdict and explanation in ``store``. ``failctl`` (``ctl``) lints and explains.

``core`` and ``observe`` are pure; ``api`` is generated from ``proto/``. ``docs/architecture.md`` is the overview; the
``__init__`` of each package has the details. Start with ``cluster/controller.py``, then ``scheduler/consume``.
"""

__version__ = "0.1.0.dev0"
