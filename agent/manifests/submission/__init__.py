"""Jobs that people submit: Armada's jobs file, and a plain Pod.

Input: a text with any number of documents. ``read.read_submissions`` gives every job in it as a ``Submission`` of core,
with the line that it begins on, or every problem. The parts:

1. ``shapes``: the fields of both kinds of documents, unknown ones are errors.
2. ``pod_fields`` and ``pod_spec``: the fields of a pod's spec and their types. The API server drops a field that it
   does not know, so a misspelled one is an error here.
3. ``refused``: what this system does not do yet (gangs, services, ingresses), and what no pod may ask for
   (``agent.core.submission.forbidden``). It looks at the tree as it was written, so that all errors are found at once.
4. ``load``: checks a document and compiles it. ``read`` does so with all documents of a text.

Documents are read as the API server and ``armadactl`` read them: ``010`` is 8 and ``yes`` is true.
"""
