"""What operators see of a process: its logs, its health and its metrics.

``logs.configure`` sends what structlog and the standard library log to standard error, with secrets hidden and control
characters escaped; ``repetition`` keeps a problem that lasts from filling the log. ``health.HealthServer`` answers
``/healthz``, ``/readyz`` and ``/metrics`` from threads of its own; it runs all ``check.Check``s in parallel and reports
one that hangs as failed, so that a stuck disk or network cannot block the probe. The modules ``*_metrics`` declare the
Prometheus metrics, a module for each process and one for each thing that processes share; the code that counts imports
them.

A metric's name and labels are a contract with dashboards and alerts (``deploy``): add, do not rename. Labels have few
values: no pod, no job, no node.
"""
