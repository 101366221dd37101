"""``failctl explain``: what happened to a job, run after run, what was decided, and why.

In comes what names a job or one of its runs: an id, a part of one, or a pod. ``explain`` reads its ``Timeline`` from
the scheduler's store. Out come lines for people (``text``) or plain data for programs (``document``). The explanation
of a verdict was stored with the verdict, so this command shows what the scheduler saw then; it decides nothing again.

By default the ten newest runs are shown, the last one in full, and a line counts those left out. ``--all`` shows all.
"""
