"""The documents that people write, checked strictly and compiled to the values that core decides with.

Input: the text of a rule file, retry policy, scenario, Job, JobSet, error table or submitted job. Output: a value of
core (a ``RuleSet``, a ``RetryPolicy``, a ``JobManifest``, ...), or every problem of the text with file, line, column
and a hint. Each kind of document has a folder. Their shared parts are ``fields`` (names, durations, quantities) and the
folder ``matchers`` (what rules match on). The folder ``agent/documents`` reads the YAML.

Within a folder a document passes these steps, each usually a module of that name:

1. ``load`` is the entry: ``load_...`` raises ``ManifestError`` with every error at once, ``lint_...`` returns problems,
   ``check_...`` does the work for one tree. ``is_...`` says whether a document is of this kind.
2. ``shapes`` are pydantic models that spell the fields as files do: unknown fields are errors, nothing is converted.
3. ``faults``, ``annotations`` or a function in ``load`` find errors that lie between fields. They look at the tree as
   it was written, so that a wrong type in one place hides no error in another.
4. ``compile`` makes the value of core; small kinds do it in ``load``.
5. ``findings`` are warnings about a document that works, but possibly not as intended. They are computed only if there
   is no error.

Two modules work across kinds. ``lint`` finds out which kind each document of a text is and checks it, once; its result
has the policies too. ``crosscheck`` compares those with each other and with rule files: categories that no file has,
dialects that count differently, names given twice. If a document has errors, ``lint`` also checks and compares the rest
(``documents.remainder``).

Guarantees: the same text gives the same value and the same problems, without a cluster, clock or network; a
document with an error has no value, so a process that reloads its files keeps the last good one. The problem codes
(``unknown-field``) are stable; the wording of messages is not.

To add a field, start at ``shapes`` of its kind, then ``compile``, then ``findings``. Start reading with
``categories/load``: the other kinds follow the same steps.
"""
