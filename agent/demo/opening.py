"""How a demo opens: what there is to see, where, and how to read it."""

from collections.abc import Iterator
from typing import Final

from agent.console.paragraphs import wrap
from agent.demo.closing import question

_INTRODUCTION: Final = """\
For {seconds:g} s jobs are submitted to a scheduler, which runs them on two simulated clusters. The agent of each
reports why a run failed, and the scheduler decides: the job runs again, or it has failed. Ctrl-C stops the demo.

Each line is a run that failed, or a job that recovered: JOB is the end of its id, # the run, CATEGORY the cause by the
rules of the cluster, FAULT whose fault it was (user, infra, platform or unknown), DECISION what the retry policy
says.
"""
_NOT_BUILT: Final = (
    "Lookout answers at {api} without pages, because they are not built. In a source tree, make ui builds them or says "
    "why it cannot. Ask Lookout in a shell whose fault the failures are:"
)


def introduction(*, seconds: float, columns: int) -> Iterator[str]:
    """What one sees, and what the columns mean."""
    for text in _INTRODUCTION.format(seconds=seconds).split("\n\n"):
        yield from wrap(" ".join(text.split()), columns)


def where_to_look(api: str, *, pages: bool, columns: int) -> Iterator[str]:
    """Where Lookout answers; ``pages``: also a browser."""
    if pages:
        yield "Watch it in a browser, live:"
        yield f"  {api}"
        yield "Or ask Lookout in a shell whose fault the failures are:"
    else:
        yield from wrap(_NOT_BUILT.format(api=api), columns)
    yield f"  {question(api)}"
