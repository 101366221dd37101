"""Hostile statuses: whatever they hold there is an answer, and its text is harmless, bounded and without secrets."""

from typing import Final

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from agent.cluster.admission.answers import MOST_TEXT
from agent.cluster.admission.review import Review
from agent.cluster.config.rules import RulesInForce, read_rules
from agent.core.admission.conditions import LONGEST_MESSAGE, Withheld
from agent.core.classify.classifier import compile_rules
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Order, Rule, RuleSet
from agent.core.failure import Advice, Origin, Proof
from agent.core.summary.redaction import Redactor
from agent.kube import objects
from agent.kube.codec import Codec, Undecodable
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.text import strip
from agent.settings.cluster import RedactionSettings
from agent.shipped import RULES, shipped
from tests.cluster.admission.deciding import Json, Memory, failing, pod, read
from tests.fuzz.pods import PODS, encoded

pytestmark = pytest.mark.slow

SECRET: Final = "hunter2"
_POD: Final = Codec(objects.Pod)
_OWNED: Final = read(pod()).metadata.ownerReferences


def proven(name: str, *matchers: Conditions | ExitCodes | PodError | TerminationMessage, origin: Origin) -> Category:
    rules = tuple(Rule(matcher=matcher, proof=Proof.NODE) for matcher in matchers)
    return Category(name=name, rules=rules, origin=origin, advice=None if origin is Origin.INFRA else Advice.NEVER)


LOOSE: Final = RuleSet(
    categories=(
        proven("secret", PodError(pattern=Pattern(text=SECRET)), origin=Origin.INFRA),
        proven("text", TerminationMessage(pattern=Pattern(text="(?s).+")), origin=Origin.USER),
        proven("error", PodError(pattern=Pattern(text="(?s).+")), origin=Origin.INFRA),
        proven("evicted", Conditions(names=("Evicted", "OOMKilled")), origin=Origin.INFRA),
        proven("code", ExitCodes(operator=Operator.NOT_IN, values=frozenset({0})), origin=Origin.USER),
    ),
    order=Order.EVIDENCE,
)
"""Rules that give conditions for nearly everything, with a text that the status holds."""


@pytest.fixture(scope="module")
def loose() -> RulesInForce:
    asking = frozenset(category.name for category in LOOSE.categories)
    return RulesInForce(
        classifier=compile_rules(LOOSE), redactor=Redactor(), slow=False, revision="r", count=5, asking=asking
    )


def check_answer(loose: RulesInForce, raw: bytes) -> None:
    written = _POD.read(raw)
    if isinstance(written, Undecodable):
        return
    metadata = replace(written.metadata, uid="u1", ownerReferences=_OWNED, deletionTimestamp=None)
    alive = replace(written, metadata=metadata, status=objects.PodStatus(phase="Running"))
    failed = replace(alive, status=replace(written.status, phase="Failed"))
    memory = Memory(rules=loose, logs=())
    memory.answers.on_pod(Change(kind=ChangeKind.ADDED, uid="u1", object=alive, previous=None))

    answer = memory.answers.answer(
        Review(uid="r", dry_run=False, namespace="ml", of_status=True, old=alive, new=failed)
    )

    for condition in () if isinstance(answer, Withheld) else answer:
        assert condition.reason in loose.asking
        assert strip(condition.message) == condition.message
        assert len(condition.message) <= LONGEST_MESSAGE
        assert f"password={SECRET}" not in condition.message


@given(raw=encoded(PODS))
def test_there_is_an_answer_to_every_pod_and_its_text_is_harmless(loose: RulesInForce, raw: bytes) -> None:
    check_answer(loose, raw)


@pytest.mark.long
@pytest.mark.timeout(1800)  # 5,000 pods
@settings(max_examples=5_000, deadline=None)
@given(raw=encoded(PODS))
def test_there_is_an_answer_to_every_pod_at_length(loose: RulesInForce, raw: bytes) -> None:
    check_answer(loose, raw)


def test_a_rule_that_matches_the_secret_itself_does_not_write_it_into_the_pod(loose: RulesInForce) -> None:
    memory = Memory(rules=loose)
    written = pod(status={"reason": "NodeLost", "message": f"cannot mount: password={SECRET}"})
    memory.watch(written)

    answer = memory.answers.answer(failing(written))

    assert not isinstance(answer, Withheld)
    assert {condition.message for condition in answer} == {"pod: error: [redacted]"}


def filled(text: str) -> str:
    return (text * MOST_TEXT)[: MOST_TEXT // 2]


LARGE: Final[dict[str, Json]] = {
    "a message of retries": {"message": filled("connection refused, retrying in 5s\n")},
    "a message of tracebacks": {"message": filled("Traceback (most recent call last):\n")},
    "a message of refusals": {"message": filled("exceeded quota: q, requested: ")},
    "a message of secrets": {"message": filled("password=x ")},
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("reason", ["Error", "StartError"])
def test_a_message_as_large_as_may_be_read_is_answered(name: str, reason: str) -> None:
    rules = read_rules(shipped(RULES), RedactionSettings())
    ended = {"exitCode": 1, "reason": reason, **LARGE[name]}
    memory = Memory(rules=rules)
    written = pod(status={"containerStatuses": [{"name": "main", "state": {"terminated": ended}}]})
    memory.watch(written)

    answer = memory.answers.answer(failing(written))

    assert answer is not Withheld.LATE
