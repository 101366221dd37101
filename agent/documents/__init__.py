"""Text that people write, parsed into a tree in which every value has its line and column.

Settings, rule files, retry policies, Jobs, JobSets and error tables are all read here, and every fault that ``failctl
lint`` prints is created here. Input: text or bytes and the name of a file. Output: either a checked value or a tuple of
``Problem``, each with file, line, column, path, message and hint.

The steps of one document:

1. ``source.decode`` bounds the text (``agent.bounds``), decodes it and refuses characters that YAML forbids. ``Source``
   keeps the lines, because an offset becomes a line and column only there.
2. ``compose.read`` builds the tree of what was ``written`` from the events of libyaml's parser. It resolves anchors and
   aliases itself, so that depth and size stay bounded: a small text with nested aliases must not use up the memory.
3. ``meaning`` says what that tree means, by a ``grammar``: scalars, keys, merge keys. For files that people write for
   us scalars follow YAML 1.2 (``scalar``), and what is ambiguous is refused. For Kubernetes objects they mean what the
   API server takes them for (``kubernetes``).
4. ``node`` holds the result: ``Scalar``, ``List`` and ``Mapping``, each with a ``Span``.
5. ``shape.check`` compares a tree with a pydantic model. It turns pydantic's errors into a ``Fault`` at the place that
   was written, and suggests the field or word that was probably meant. ``wording`` has the words, also for settings.
6. ``checked.check_text`` joins these steps for a text with one document. A kind of document supplies the ``Check``.

This is the only reader of YAML in the product: ruff forbids PyYAML's own loaders (pyproject.toml), which follow YAML
1.1 (``2024-01-01`` is a date) and have no bounds. ``checked.read_plain`` is for files whose shape is checked elsewhere.

``remainder.check_everything`` is for linters: it checks a document with errors again without the parts that have them,
so that an error hides no other problem.

``stream.objects`` takes the first steps for objects that are piped in, one by one, however many there are: each of them
is bounded, and reading stops within one that is too large, before libyaml has it in memory.

A ``Fault`` has a position but no file; ``Source.problem`` makes it a ``Problem``. ``problem.render`` prints one for a
terminal, with the source line, a caret and the hint.

Guarantees: ``compose.read`` raises nothing for any input; all faults of a text are reported at once, in the order
of the text; and text from a document is escaped before it is printed, so it cannot control a terminal. A document with
an error has no value, so nobody can use half of one; what ``remainder`` makes of it is for comparing only.

To change what a message says or how it looks, open ``problem`` (layout), ``shape`` (wrong type, unknown field),
``scalar`` (numbers, tags) or ``meaning`` (keys). Start reading with ``checked`` and then ``compose``.
"""
