"""Which containers of a pod the user submitted, and which a webhook or an operator injected."""

from collections.abc import Collection
from functools import lru_cache

from agent.core.identity.expression import Expression, in_words
from agent.core.identity.rules import DEFAULT, IdentityRules
from agent.core.summary.submission import UNKNOWN, Submission
from agent.kube import objects
from agent.observe.identity import evaluate


def submission(
    pod: objects.Pod,
    *,
    rules: IdentityRules = DEFAULT,
    template: Collection[str] | None = None,
    injected: Collection[str] = (),
) -> Submission:
    """How to distinguish the user's containers from injected ones.

    What the pod itself lists, where ``rules`` look for it; else ``template`` (the container names in its owner's pod
    template); else ``injected`` (shell patterns from settings) and what the system that made the pod is known to add:
    every other container is then the user's. Else it is unknown.
    """
    for expression in rules.containers:
        if (listed := _listed(expression, evaluate(expression, pod))) is not None:
            return listed
    if template is not None:
        return Submission(submitted=frozenset(template), reason="the owner's pod template lists the containers")
    added = [pattern for rule in rules.added if evaluate(rule.when, pod) for pattern in rule.patterns]
    if injected or added:
        reason = "settings name the injected containers" if injected else "what made the pod is known to add containers"
        return Submission(injected=(*injected, *added), reason=reason)
    return UNKNOWN


@lru_cache
def _listed(expression: Expression, names: str) -> Submission | None:
    """The containers that the pod lists. Cached, because the pods of one job list the same."""
    listed = frozenset(name.strip() for name in names.split(",")) - {""}
    reason = f"{in_words(expression)} lists the submitted containers"
    return Submission(submitted=listed, reason=reason) if listed else None
