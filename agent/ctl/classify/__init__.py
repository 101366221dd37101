"""``failctl classify``: why pods failed, by a rule file.

Input: the output of ``kubectl get pods -o json``, JSON lines, YAML documents, bundles of a pod with its events and
node, or a bare message; or the name of a pod in a cluster. Output: a diagnosis for each: a card for one, a table for
many, or JSON, YAML and JSON lines.

The steps of one object: ``agent.diagnose`` reads it from the stream, decodes it, observes and classifies it. For a pod
of a cluster, ``cluster.read_pod`` asks the API server instead, with the user's permissions; only the pod must exist,
the rest may be missing evidence. ``answers.write`` shows the result: as a ``card``, a table or a ``document``;
``headline`` is the first part of all three, with texts of ``agent.core.failure_text``, and ``reasoning`` explains the
rules.

A table lists what is ``wanted``, in an ``order``; its ``rows`` are pods, or several of a workload to which the same
happened, ``layout`` has the widths for the terminal, and ``totals`` counts all that was read, listed or not. With
``--count-by`` failures are ``counted`` instead, and shown as those of ``failctl get``.

With ``--policies``, ``policies`` reads retry policies, ``agent.diagnose.foresight`` asks them, and ``verdict`` shows
what they say.

``commands`` checks which of the two is asked for; ``classify`` does it for files, ``pods`` for pods of a cluster. An
object that cannot be read is reported with its place, the rest is still answered, and the exit code is 2; a pod that is
not there makes it 1.
"""
