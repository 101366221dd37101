"""``failctl classify`` and ``failctl evaluate``: why pods failed, by a rule file.

In comes whatever people pipe in: what ``kubectl get pods -o json`` prints, JSON lines, YAML documents, bundles of a pod
with its events and node, or a bare message; or the name of a pod in a cluster. Out comes a diagnosis for each: a card
for one, a table for many, or JSON, YAML and JSON lines.

One object flows like this. ``documents.read_documents`` reads the stream object by object, so memory stays flat for any
number of pods; ``agent.documents.stream`` does that for YAML. ``subject.read_subject`` decides what the object is and
decodes it. For a pod of a cluster, ``cluster.read_pod`` asks the API server instead, with the rights of who asks; only
the pod must be there, the rest may be missing evidence.
``diagnosis.Diagnoser`` observes and classifies it with the same code as the cluster's agent (``agent.observe``,
``agent.core.classify``), except that nothing can be waited for. ``answers.write`` shows the result: as a ``card``, a
``table`` (whose widths follow the terminal and the first rows, never all of them) or a ``document``; ``headline`` has
what all three say first, in the words of ``agent.core.failure_text``, and ``reasoning`` what the rules say.

``classify`` does this for files, ``pods`` for pods of a cluster. An object that cannot be read is reported with its
place, the rest is still answered, and the exit code is 2; a pod that is not there makes it 1.

``evaluate`` sends labelled failures the same way and compares; ``scores`` counts and is pure.
"""
