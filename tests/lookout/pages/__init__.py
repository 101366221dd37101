"""The pages in a real browser, over the real API: a month of 100,000 runs, a live demo, and texts that mean harm.

``watch`` refuses what no page may do (asking elsewhere, errors, what the content security policy forbids), ``looks``
finds what cannot be read (axe, clipped text, sideways scrolling). ``interactions.yaml`` names the tests that prove what
people expect of such pages. Begin with ``conftest``. What a page looked like is kept in ``build/pages``.
"""
