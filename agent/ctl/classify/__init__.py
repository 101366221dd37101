"""``failctl classify`` and ``failctl evaluate``: why pods failed, by a rule file, without a cluster.

In comes whatever people pipe in: what ``kubectl get pods -o json`` prints, JSON lines, YAML documents, bundles of a pod
with its events and node, or a bare message. Out comes a diagnosis for each: a card for one, a table for many, or JSON,
YAML and JSON lines.

One object flows like this. ``documents.read_documents`` reads the stream object by object, so memory stays flat for any
number of pods; ``agent.documents.stream`` does that for YAML. ``subject.read_subject`` decides what the object is and
decodes it.
``diagnosis.Diagnoser`` observes and classifies it with the same code as the cluster's agent (``agent.observe``,
``agent.core.classify``), except that nothing can be waited for. ``answers`` writes the result with ``card`` or
``table``.

An object that cannot be read is reported with its place, the rest is still answered, and the exit code is 2.

``evaluate`` sends labelled failures the same way and compares; ``scores`` counts and is pure.
"""
