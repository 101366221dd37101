"""Logs: what tests log has tracebacks as processes write them.

structlog's default draws them with the values of all variables, which takes a tenth of a second each. A plugin of
pytest: ``tests.logs``.
"""

import structlog


def pytest_configure() -> None:
    """Before anything logs."""
    *before, _ = structlog.get_config()["processors"]
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*before, renderer])
