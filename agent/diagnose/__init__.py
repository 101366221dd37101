"""Diagnoses failures that somebody hands in, such as pods in a file, with the code of the cluster's agent.

``documents`` reads a stream object by object, so memory stays flat for any number of pods. ``subject`` detects the kind
of an object and decodes it: a pod, a bundle of a pod with its events and node, or bare evidence. ``families`` finds the
Job and the JobSet that made a pod among the objects of the same input.
``diagnosis.Diagnoser`` observes and classifies it with ``agent.observe`` and ``agent.core.classify``, as
``agent.cluster`` does, except that it looks once and cannot wait. Nothing here asks a cluster:
``agent.ctl.classify.cluster`` reads pods there and makes subjects of them.

``foresight`` adds the verdict that retry policies will give, if somebody asks.

``failctl classify`` shows the diagnoses; ``agent.evaluate`` compares them with labels. Begin with ``diagnosis``.
"""
