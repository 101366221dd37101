"""What operators ask about a Lookout, and have it do, from outside of its process: ``failctl lookout``.

``status`` says what is stored, and how much the broker still has for it. ``replay`` reads the topics again and has
``ingest`` store what they say. ``counts`` compares the rollups with the rows, and makes them again.

Nothing here needs the process. ``status`` only reads. ``replay`` reads topics without a subscription, so that nothing
of it is left in the broker when it is killed, the process gets its messages as ever, and the broker deletes what it
would delete. On Postgres it stores while the process does, as a second process would; on SQLite only while none runs
(``agent.lookout.writer``). Each batch is a transaction, so a replay that ends early has stored a part, and another one
changes nothing of that.

Start with ``status``.
"""
