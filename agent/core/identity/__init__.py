"""Identity rules: where a pod says whose run it is.

``rules`` has a preset for each system that makes pods (Armada, Job, JobSet, Kueue, Argo, Volcano, Ray) and ``ANY_POD``
for all others. A preset lists, for each part of an identity, the expressions to try in order; the first that gives
something counts. ``expression`` reads them: ``{namespace}/{label:my/gang}``.

These are values only. ``agent.observe.identity`` looks the expressions up in a pod. Begin with ``rules.PRESETS``; to
support another system, add a preset there, with the source file upstream that defines its labels.
"""
