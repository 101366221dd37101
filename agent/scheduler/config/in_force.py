"""What decisions are made by at this moment: the configuration of files and the resources of the store, together."""

from collections.abc import Callable, Sequence
from threading import RLock
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.core.queue import Queue
from agent.core.retry.catalog import Catalog
from agent.core.retry.policy import RetryPolicy
from agent.core.submission.submission import Submission
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.relations import unknown_categories
from agent.manifests.resource.resource import Resource
from agent.scheduler.config.files import Configuration
from agent.scheduler.config.stored import ResourceCache, StoredResources
from agent.scheduler.consume.batch import DecisionInputs
from agent.store import rule_sets
from agent.store.store import Store
from agent.telemetry import resource_metrics as metrics

_log = structlog.get_logger(__name__)

_NO_EFFECT_YET: Final = (
    "the scheduler does not decide by error rules yet; `failctl error-rule decide` shows what they would do"
)


class InForce:
    """Passes new inputs to ``use`` whenever files or the store change, on whichever thread noticed."""

    def __init__(self, configuration: Configuration, store: Store, *, use: Callable[[DecisionInputs], None]) -> None:
        self.configuration = configuration
        self.cache = ResourceCache(store, use=self._take_stored)
        self.inputs = configuration.decision_inputs()
        self._use = use
        self._lock = RLock()
        self._shadowed: frozenset[str] = frozenset()
        self._default_missing = False

    @property
    def catalog(self) -> Catalog:
        """The policies and queues that are in force."""
        return self.inputs.catalog

    def take(self, configuration: Configuration) -> None:
        """Decide by these files from now on."""
        with self._lock:
            self.configuration = configuration
            self._take_stored(self.cache.current)

    def policies(self) -> list[str]:
        """The names of all policies that are in force."""
        return sorted({*self.configuration.policies, *self.cache.current.policies})

    def warnings(self, connection: Connection, document: Resource) -> Sequence[str]:
        """What works about a document, but possibly not as intended, as far as other resources show it."""
        if isinstance(document.value, RetryPolicy):
            return tuple(unknown_categories(document.value, rule_sets.categories(connection)))
        if document.kind is Kind.QUEUE and isinstance(document.value, Queue) and not document.value.policies:
            default = self.configuration.settings.scheduling.retry_policy.default_policy_name
            return (f"it names no retry policy: {default} decides for jobs that name none",)
        if document.kind is Kind.ERROR_RULE:
            return (_NO_EFFECT_YET,)
        return ()

    def notes(self, submission: Submission) -> Sequence[str]:
        """What works about a job, but possibly not as intended: a policy that it names does not exist."""
        return self.catalog.in_effect(submission.queue, ",".join(submission.retry_policies)).notes

    def _take_stored(self, stored: StoredResources) -> None:
        with self._lock:
            inputs = self.configuration.decision_inputs(stored)
            self._alarm(stored)
            self.inputs = inputs
            self._use(inputs)

    def _alarm(self, stored: StoredResources) -> None:
        """Report what is not as somebody may think: names that files hold too, and a default that does not exist."""
        shadowed = frozenset(stored.policies) & frozenset(self.configuration.names())
        for name in sorted(shadowed - self._shadowed):
            _log.error("a stored retry policy is not in force, because a file has one of its name", name=name)
        self._shadowed = shadowed
        metrics.SHADOWED.set(len(shadowed))
        default = self.configuration.settings.scheduling.retry_policy.default_policy_name
        missing = default not in self.configuration.policies and default not in stored.policies
        if missing and not self._default_missing:
            _log.error("the default retry policy does not exist; jobs that name no other are not retried", name=default)
        self._default_missing = missing
