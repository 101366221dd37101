"""The messages and services that processes exchange, generated from ``proto/`` by ``make generate``; never edited.

``v1`` is the version of ``proto/agent/api/v1``. ``agent.wire`` alone turns messages of the broker into core's values
and back; the services of the API are those of ``agent.scheduler.service``, and ``agent.client`` calls them.
"""
