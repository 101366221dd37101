"""``failctl broker``: check the way to a broker, and release a topic of a cluster that is gone.

``check`` takes the settings of an agent or a scheduler and goes the way that process goes when it starts: address,
TLS, token, tenant, permission, settings. It reports each step and how to fix what is wrong. Topics and subscriptions
that the process needs are created on the way. An event log has one step only: the file opens.

``release`` ends a cluster's ownership of its event topic, so that another cluster of that name can own it.

``connect.open_for_command`` opens the broker and turns its errors into those of ``failctl``. ``dlq`` uses it too.
"""
