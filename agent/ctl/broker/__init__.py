"""``failctl broker``: check the connection to a broker, list what it lost, release a topic of a cluster that is gone.

``check`` takes the settings of an agent, a scheduler or a Lookout and performs its startup steps: address, TLS, token,
tenant, permission, settings. It reports each step and how to fix what is wrong. It also creates the topics and
subscriptions that the process needs. An event log has only one step: the file exists and opens; it is not created.

``gaps`` lists the messages that are missing, as the scheduler found out (``agent.store.sequences``).

``release`` ends a cluster's ownership of its event topic, so that another cluster of that name can own it.

``connect.open_for_command`` opens the broker and turns its errors into those of ``failctl``. ``dlq`` uses it too.
"""
