"""What Alembic runs: the migrations of this folder, on the connection that ``agent.store.migrate`` gives."""

from agent.store.metadata import metadata
from agent.store.migrate import run

run(metadata)
