"""JSON from outside, read behind one guard: a bound for size, depth and the length of numbers (``agent.bounds``).

Nothing else in ``agent`` may decode JSON (ruff's banned-api, in pyproject.toml). The bounds do not make
a parser safe: ``tests/fuzz/test_json_readers.py`` tries all of these with mutated objects.

``reader.Reader`` decodes to one type with msgspec. It builds nothing deeper than that type and skips the rest, so depth
costs no memory until it stops at the interpreter's limit; numbers are checked before. Whoever reads whole objects
bounds their size. It reads

- objects, lists and watches of the API server (``kube.codec``): an object beyond the bounds is named and skipped
- other answers of the API server (``kube.answer``): beyond the bounds they are answers that do not decode
- what is sent to the admission webhook (``cluster.admission``): beyond the bounds it is refused
- the spool's own entries and properties, the event log's properties, the cursors of the store, what the processes of a
  demo wrote, and continue tokens of the simulator: written by us, or bounded by a header

``reader.read_value`` decodes one object to plain values, after all three checks: Pulsar's admin API, requests to the
simulator, and each object of a stream. ``reader.read_leniently`` is for objects that msgspec refuses, because their
text is not UTF-8: also after these checks.

``stream.JsonStream`` cuts a stream into objects without building any, and hands each to ``read_value``. It holds one
object, and stops within one that is too large or too deep. ``agent.diagnose`` reads with it.

Two parsers stay outside, because they read only what we have just written ourselves: pydantic's, which validates
settings that the reader of YAML gave, and SQLite's ``json_each``. protobuf's ``json_format`` writes only.
"""
