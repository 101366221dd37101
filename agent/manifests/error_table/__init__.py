"""PanDA's error table and the error codes it asks about, in YAML, JSON, CSV and SQL.

Input: a table in one of four formats. ``load.check_table`` picks the reader: YAML and JSON are documents; ``csv`` and
``sql`` give a ``Row`` for each row, and ``columns.as_document`` turns those into the tree that the YAML would give. So
one path checks all formats, and each problem points at the cell or value that was written. Output: an ``ErrorTable``
of ``agent.core.error_table``. ``write`` writes it in any of the formats; reading that again gives the same table.

``rows.row_faults`` finds what makes a row useless: an unknown action, parameters that do not parse. In strict mode that
is an error. In compatible mode it is a warning, and the row behaves as in PanDA. ``rows.row_findings`` warns about the
rest, such as rules on codes that nobody emits.

``codes`` reads the other document, ``ErrorCodes``, which maps failures to errors. ``course`` reads failures for
``failctl error-rule decide``. Column names are those of PanDA's database, so that its rows can be used as they are.
"""
