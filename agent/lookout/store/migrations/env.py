"""What Alembic runs: the migrations of this folder, on the connection that ``agent.store.migrate`` gives."""

from agent.lookout.store.tables import metadata
from agent.store.migrate import run

run(metadata)
