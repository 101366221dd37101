"""A story: somebody at the pages, step by step. Each step is said, and what is seen after it is kept."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

from tests.lookout.pages.visit import Visit


class Story:
    """``pytest -s`` shows what is said; ``build/pages/story-NAME-1.png`` and so on are what was seen."""

    def __init__(self, visit: Visit, name: str) -> None:
        self.visit = visit
        self._name = name
        self._steps = 0
        print(f"\n{name.replace('-', ' ').capitalize()}")  # noqa: T201 - see above

    @property
    def page(self) -> Page:
        return self.visit.page

    @contextmanager
    def step(self, text: str) -> Iterator[None]:
        """One step, with what must hold after it."""
        self._steps += 1
        print(f"  {self._steps}. {text}")  # noqa: T201 - see above
        yield
        self.visit.settle()
        self.visit.keep(f"story-{self._name}-{self._steps}")
