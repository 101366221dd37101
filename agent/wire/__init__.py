"""Core values <-> protobuf: the only package that knows both.

A module for each message: ``events`` (what ``run-events`` topics carry), ``commands``, ``heartbeat`` and ``job_event``
are whole payloads with ``encode`` and ``decode``; ``failure``, ``pod``, ``node``, ``classification``, ``rule_set`` are
their parts, with ``fill_*`` to write a part into an empty message and ``read_*`` to read it. ``words`` and
``job_words`` map enumerations, ``time`` timestamps; ``values`` turns any value into a ``Struct``, where a message
carries what records hold.

Reading is strict only where something could not be attributed or stored: missing ids, an unknown schema or occurrence,
a time outside the calendar, NUL in a text (``nul``). That raises ``error.WireError``, and trying again cannot help.
Fields and enumeration values that a newer writer added are ignored or read as unknown.

``None`` is absence and 0 is a number: optional fields are written only where there is a value, and read with
``HasField``. To add a field: the proto, the value in ``agent.core``, then both directions here; ``tests/wire`` checks
the round trip.
"""
