"""``failctl cancel``, ``retry``, ``never-retry`` and ``confirm-stopped``: what people ask of submitted jobs.

``commands`` has the options; ``requests`` finds the jobs by what was typed, asks for all of them, and says what came of
it. ``stopped`` does the same for runs that a person vouches for. Each may be repeated. The exit code is 1 if one is
refused.
"""
