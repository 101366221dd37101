"""Identity rules: where a pod says which job and run it belongs to.

``rules`` has a preset for each system that makes pods (the agent itself, Armada, Job, JobSet, Kueue, Argo, Volcano,
Ray) and ``ANY_POD`` for all others. A preset lists the expressions for each part of an identity, in order; the first
that is not empty counts. ``expression`` parses them: ``{namespace}/{label:my/gang}``. ``labels`` names what pods have
that the agent makes, and ``conditions`` the pod conditions that people's Jobs may act on.

These are only values. ``agent.observe.identity`` evaluates the expressions for a pod. Start with ``rules.PRESETS``; to
support another system, add a preset there, with the upstream source file that defines its labels.
"""
