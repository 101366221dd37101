"""Where what was decided is kept."""

from pathlib import Path

from pydantic import Field, field_validator

from agent.settings.base import Settings, Url


class StoreSettings(Settings):
    """Where what was decided is kept."""

    url: Url = Field(
        description="Address of the store. sqlite:///PATH is a database in one file. "
        "postgresql+psycopg://USER@HOST/DATABASE is Postgres; parameters of libpq follow a question mark, such as "
        "?sslmode=verify-full."
    )
    password_file: Path | None = Field(
        default=None, description="File with the password for Postgres. It is read for each new connection."
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if not url.startswith(("sqlite:///", "postgresql+psycopg://", "postgresql://")):
            raise ValueError("there is no such store; write sqlite:///PATH or postgresql+psycopg://USER@HOST/DATABASE")
        return url
