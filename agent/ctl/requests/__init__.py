"""``failctl cancel``, ``retry``, ``never-retry`` and ``confirm-stopped``: what people ask of submitted jobs.

``commands`` has the options; ``requests`` finds the jobs by what was typed, and asks for all of them. ``stopped`` does
the same for runs that a person vouches for. ``answers`` says what came of it. Each may be repeated. The exit code is 1
if one is refused.
"""
