"""The history of the tables, run by Alembic through ``agent.store.migrate``; never from the command line.

A revision is one module in ``versions``, numbered in order; all that are missing run in one transaction at start.
Released revisions are not edited, because databases have them already.
"""
