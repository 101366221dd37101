"""Questions about what Lookout stored, and how they are answered. No HTTP here.

``columns`` is the one table of what may be asked of each list: filters, operators, sorting, grouping. ``question``
makes a question of the parameters of a request, or raises ``refusal.Refused`` with everything that is wrong with them;
``conditions`` and ``times`` read their values, ``cursor`` the place after which a page begins.

``reader.Reader`` is the one way to the database: each of its statements passes ``sight.Sight``, which is what the
caller may see, and none takes longer than the limit. ``predicates`` are conditions as SQL; ``scan`` finds the rows of a
page by the index that has to read the fewest, where ``run_scan`` and ``job_scan`` know which index answers what, and
``text_search`` what a text contains. ``lists`` are the pages, ``shapes`` all that is answered.

``groups`` and ``group_counts`` count rows, or ``rollup_rows`` where these know what is asked; so do ``series`` and
``tops``. Everything that is counted says its ``window``.

Start with ``columns``.
"""
