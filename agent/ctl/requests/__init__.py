"""``failctl cancel``, ``retry`` and ``never-retry``: what people ask of submitted jobs.

``commands`` has the options; ``requests`` finds the jobs by what was typed, asks for all of them, and says what came of
it. Each may be repeated. The exit code is 1 if one is refused.
"""
