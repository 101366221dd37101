"""Clients of the scheduler's API.

``resources.connect`` opens a channel and gives a ``ResourceClient``, whose methods take and return the messages of
``agent.api.v1``. Every call has a deadline, and raises ``errors.ApiError`` with the code and the server's own words, or
``ApiUnreachable`` where no server answers.
"""
