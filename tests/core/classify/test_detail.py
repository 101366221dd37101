"""Details: what the named groups of the primary rule's patterns found."""

from agent.core.classify.classifier import compile_rules
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.matchers.text import Pattern
from agent.core.classify.rules import Category, Rule, RuleSet
from agent.core.evidence import Event, Evidence, Pod
from agent.core.evidence import LogTail as Tail
from agent.core.failure import Detail, DetailKey


def events(pattern: str) -> PodEvents:
    return PodEvents(type="Warning", pattern=Pattern(text=pattern))


def found(evidence: Evidence, *rules: Rule) -> tuple[Detail, ...]:
    return compile_rules(RuleSet(categories=(Category(name="it", rules=rules),))).classify(evidence).detail


def said(*messages: str) -> Evidence:
    return Evidence(
        pod=Pod(phase="Pending"),
        events=tuple(Event(type="Warning", reason="F", message=message) for message in messages),
    )


def test_a_named_group_gives_a_detail() -> None:
    rule = Rule(matcher=events(r"Insufficient (?P<resource>[\w./-]*\w)"))

    assert found(said("3 Insufficient nvidia.com/gpu."), rule) == (
        Detail(key=DetailKey.RESOURCE, value="nvidia.com/gpu"),
    )


def test_a_group_that_took_no_part_gives_none() -> None:
    rule = Rule(matcher=events(r"Insufficient (?P<resource>\w+)|taint (?P<taint>\w+)"))

    assert found(said("had taint spot"), rule) == (Detail(key=DetailKey.TAINT, value="spot"),)


def test_other_groups_say_nothing() -> None:
    assert found(said("Insufficient cpu"), Rule(matcher=events(r"(?P<what>Insufficient) cpu"))) == ()


def test_only_the_primary_rule_gives_details() -> None:
    rules = Rule(matcher=events("Insufficient")), Rule(matcher=events(r"Insufficient (?P<resource>\w+)"))

    assert found(said("Insufficient cpu"), *rules) == ()


def test_the_order_of_events_does_not_matter() -> None:
    rule = Rule(matcher=events(r"Insufficient (?P<resource>\w+)"))
    messages = ("Insufficient memory", "Insufficient cpu")

    assert found(said(*messages), rule) == found(said(*reversed(messages)), rule)


def test_each_part_of_an_all_of_may_give_one() -> None:
    tail = LogTail(pattern=Pattern(text=r"rank (?P<rank>[0-9]+)"))
    rule = Rule(matcher=AllOf(matchers=(events(r"(?P<probe>Liveness) probe"), tail)))
    evidence = said("Liveness probe failed")
    evidence = Evidence(pod=evidence.pod, events=evidence.events, log_tails=(Tail(container="main", text="rank 7"),))

    assert found(evidence, rule) == (
        Detail(key=DetailKey.PROBE, value="liveness"),
        Detail(key=DetailKey.RANK, value="7"),
    )


def test_a_long_value_is_cut() -> None:
    (detail,) = found(said("claim " + "x" * 5000), Rule(matcher=events(r"claim (?P<claim>\w+)")))

    assert len(detail.value) < 300
