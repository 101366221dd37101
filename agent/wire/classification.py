"""Classification, the result of the rules <-> protobuf."""

from agent.api.v1 import failure_pb2 as pb
from agent.core.classify.advised import advised
from agent.core.failure import Classification, Detail, Hypothesis, Match, Mechanism
from agent.wire.words import ACTIONS, ADVICE, ADVISED, DETAIL_KEYS, GRADES, MECHANISMS, ORIGINS, PROOFS, TRUST

_CORROBORATED = {int(pb.TRISTATE_NO): False, int(pb.TRISTATE_YES): True}


def fill_classification(message: pb.Classification, given: Classification) -> None:
    """Write a classification into an empty message; ``categories`` belong to the failure itself."""
    message.category = given.category
    if given.subcategory:
        message.subcategory = given.subcategory
    message.origin = ORIGINS.number[given.origin]
    if given.hint:
        message.hint = given.hint
    message.action = ACTIONS.number[given.action]
    if given.advice is not None:
        message.retry_advice = ADVICE.number[given.advice]
    if (in_effect := advised(given)) is not None:
        message.advised = ADVISED.number[in_effect]
    message.matched = given.matched
    message.weak = given.weak
    for match in given.matches:
        _fill_match(message.matches.add(), match)
    message.rules_revision = given.revision
    if given.matches_left_out:
        message.matches_left_out = given.matches_left_out
    if given.timed_out:
        message.timed_out.extend(given.timed_out)
    for detail in given.detail:
        added = message.detail.add()
        added.key = DETAIL_KEYS.number[detail.key]
        added.value = detail.value
    if given.mechanism is not None:
        _fill_weighing(message, given, given.mechanism)


def _fill_weighing(message: pb.Classification, given: Classification, mechanism: Mechanism) -> None:
    """Write what only ``order: evidence`` gives."""
    message.mechanism = MECHANISMS.number[mechanism]
    if given.corroborated is not None:
        message.corroborated = pb.TRISTATE_YES if given.corroborated else pb.TRISTATE_NO
    if given.grade is not None:
        message.grade = GRADES.number[given.grade]
    if given.proof is not None:
        message.proof = PROOFS.number[given.proof]
    for hypothesis in given.hypotheses:
        added = message.hypotheses.add()
        _fill_match(added.match, hypothesis.match)
        added.refused = hypothesis.refused
    if given.hypotheses_left_out:
        message.hypotheses_left_out = given.hypotheses_left_out


def _fill_match(message: pb.RuleMatch, match: Match) -> None:
    message.category = match.category
    message.subcategory = match.subcategory
    message.rule_index = match.rule_index
    message.matcher = match.matcher
    message.where = match.where
    message.text = match.text
    message.trust = TRUST.number[match.trust]
    message.container = match.container
    message.pack = match.pack
    message.rule = match.rule


def read_classification(message: pb.Classification, *, categories: tuple[str, ...]) -> Classification:
    """The classification that a message holds, with the categories the failure names."""
    return Classification(
        category=message.category,
        subcategory=message.subcategory,
        origin=ORIGINS.word(message.origin),
        hint=message.hint,
        action=ACTIONS.word(message.action),
        advice=ADVICE.word(message.retry_advice) if message.retry_advice else None,
        matched=message.matched,
        weak=message.weak,
        categories=categories,
        matches=tuple(map(_read_match, message.matches)),
        matches_left_out=message.matches_left_out,
        timed_out=tuple(message.timed_out),
        revision=message.rules_revision,
        mechanism=MECHANISMS.word(message.mechanism) if message.mechanism else None,
        corroborated=_CORROBORATED.get(message.corroborated),
        grade=GRADES.word(message.grade) if message.grade else None,
        proof=PROOFS.find(message.proof),
        hypotheses=tuple(
            Hypothesis(match=_read_match(hypothesis.match), refused=hypothesis.refused)
            for hypothesis in message.hypotheses
        ),
        hypotheses_left_out=message.hypotheses_left_out,
        detail=tuple(
            Detail(key=DETAIL_KEYS.word(detail.key), value=detail.value)
            for detail in message.detail
            if DETAIL_KEYS.knows(detail.key)
        ),
    )


def _read_match(message: pb.RuleMatch) -> Match:
    return Match(
        category=message.category,
        subcategory=message.subcategory,
        rule_index=message.rule_index,
        matcher=message.matcher,
        where=message.where,
        text=message.text,
        trust=TRUST.word(message.trust),
        container=message.container,
        pack=message.pack,
        rule=message.rule,
    )
