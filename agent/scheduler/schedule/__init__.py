"""What the leader among schedulers does.

``outbox`` lets the publisher (``agent.broker.publish``) publish the messages that deciding transactions put into the
store's outbox, one numbering for each topic.

All of it is fenced by the leader's epoch (``agent.store.leader``): each transaction locks the leader row and compares
it, so that a leader that was replaced meanwhile changes nothing.
"""
