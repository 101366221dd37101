"""Every retry policy and queue that is known, and which policies they put in effect for a job."""

from collections.abc import Mapping
from functools import lru_cache

from agent.core.queue import Queue
from agent.core.retry.annotations import named
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.effective import InEffect, longest_window, resolve_policies

_REMEMBERED = 1024
"""Combinations of queue and annotation; jobs write annotations, so there is no end of them."""


class Catalog:
    """The known policies by name, the queues by name, and the name of the default policy.

    Nothing in it changes: a change is another catalog.
    """

    def __init__(
        self,
        policies: Mapping[str, CompiledPolicy],
        *,
        queues: Mapping[str, Queue] | None = None,
        default: str | None = None,
    ) -> None:
        self.policies = policies
        self.queues = queues or {}
        self.default = default
        self.longest_window = longest_window(policies.values())
        self._resolved = lru_cache(maxsize=_REMEMBERED)(self._resolve)

    def in_effect(self, queue: str, annotation: str = "") -> InEffect:
        """The policies for a job of this queue whose annotation has this text."""
        return self._resolved(queue, annotation)

    def _resolve(self, queue: str, annotation: str) -> InEffect:
        known = self.queues.get(queue)
        return resolve_policies(
            self.policies,
            queue=() if known is None else known.policies,
            annotation=named(annotation),
            default=self.default,
        )
