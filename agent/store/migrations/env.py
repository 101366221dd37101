"""What Alembic runs: the migrations of this folder, on the connection that ``agent.store.migrate`` gives."""

from alembic import context

from agent.store.metadata import metadata

connection = context.config.attributes["connection"]
if connection is None:
    raise RuntimeError("migrations run through agent.store.migrate, which holds the lock")

context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
