"""What people come to the pages for, played step by step in a browser, over a week of two clusters.

``test_stories`` has the stories. ``week`` makes up the week: ``kinds`` of failures (``failures.yaml``) that the rules
which ship classify, in the lives of ``jobs`` that ``policy.yaml`` decides on. ``telling`` says each step and keeps what
was seen after it. ``pictures`` are those of the documentation: ``make screenshots`` makes them again.
"""
