"""``failctl evaluate``: how well a rule file does on labelled failures, or on logs of runs that succeeded.

``commands`` declares the command and loads the rule file; ``agent.evaluate`` does the work.
"""
