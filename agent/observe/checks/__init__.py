"""Armada's pod checks: rules from settings that give up a pod, or ask for its run to be retried.

``pending.check_pending`` looks at a pod that has not started: deadlines first, then events and waiting containers.
It gives ``Found``, or ``Waiting`` with the time at which a check may match without news. ``failed.check_failed`` looks
at a pod that failed. Both follow Armada's executor closely, in order and in wording (armadaproject/armada
internal/executor/podchecks at 207cc9e04), because people bring their settings and rules from there. docs/checks.md
lists the differences. Pure; begin with ``check_pending``.
"""
