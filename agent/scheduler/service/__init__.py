"""The API: operators manage retry policies, queues and error rules while the scheduler runs.

``plan`` decides, purely, what a change does or why it is refused: it takes what the store and the files hold and gives
edits. ``resources.Resources`` runs plans in transactions of the store, under one decision scope, so that writers take
turns, and keeps every version. A transaction reads what is stored and takes the values from
``agent.scheduler.config.compiled``: documents are parsed before it begins. ``rights`` is the port that says who may do
what. ``servicer`` turns all this into the gRPC service of ``proto/agent/api/v1/resources.proto``, and ``server``
listens, with health and reflection.

Jobs have a service of their own, ``job_servicer``: ``submitting`` accepts jobs that their queue takes,
``requesting`` does what people ask of jobs, in the transaction that holds them, and says why each waits, and
``submitted_pods`` shows what was submitted, without secrets.

What the API changes takes effect as any other change of the store does: through ``agent.scheduler.config.stored``,
which every scheduler runs. The one that made the change looks at once.
"""
