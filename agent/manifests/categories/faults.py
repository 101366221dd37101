"""Faults of error categories between fields: duplicate names, missing rules, wrong matchers, bad patterns.

They are found in the tree as it was written, so that a fault of the shape hides none of them.
"""

from collections.abc import Collection, Iterable, Iterator

from agent.core.classify.matchers.conditions import GUARDS, Conditions
from agent.core.classify.matchers.matcher import IN_LOGS, SAY_NO_CAUSE, SIGNS, Basis, EvidenceMatcher
from agent.core.classify.proof import IN_TEXT, IN_WRAPPERS
from agent.core.classify.rules import Role
from agent.core.failure import Proof
from agent.core.identity.conditions import LONGEST_CATEGORY, LONGEST_NAME, can_be_named, of_category
from agent.documents.node import Mapping, Node, Scalar, Span, items, text_at, write_path
from agent.documents.problem import quote
from agent.documents.source import Fault, Source
from agent.manifests.categories.shapes import MATCHERS
from agent.manifests.matchers.faults import Steps, is_absent, matcher_fault, pattern_faults
from agent.manifests.matchers.written import pattern_fields

PATTERNS = pattern_fields(MATCHERS)
_OF_SIGNS = frozenset(Proof).difference(IN_TEXT)


def _looking_at(bases: Collection[Basis]) -> frozenset[str]:
    """The names of the matchers that look at any of these."""
    known = ((name, written.matcher) for name, written in MATCHERS.items())
    return frozenset(name for name, of in known if issubclass(of, EvidenceMatcher) and of.BASIS in bases)


_WORDS = _looking_at(IN_LOGS)
_SIGNS = _looking_at(SIGNS)
_SAY_NO_CAUSE = _looking_at(SAY_NO_CAUSE)
_ONLY_WORDS = _looking_at({Basis.LOG})
_NARROW = _looking_at({Basis.NARROWING})


def faults_between_fields(
    categories: Node | None, source: Source, *, at: Steps, packs: Node | None = None
) -> Iterator[Fault]:
    """Yield the faults of the list of categories at this path. ``packs`` is the file's list of packs."""
    yield from _duplicates(_names(categories, at), code="duplicate-category", what="the category")
    yield from _duplicates(_rule_names(categories, at), code="duplicate-rule-name", what="the rule name")
    for number, category in items(categories):
        if isinstance(category, Mapping):
            yield from _no_condition(category, at=(*at, number))
            if packs is None or category.entry("condition") is None or category.entry("rules") is not None:
                yield from _category(category, source, at=(*at, number))


def _names(listed: Node | None, at: Steps) -> Iterator[tuple[Node, Steps]]:
    """Yield the names of the items of a list, with their paths."""
    for number, named in items(listed):
        node = named.get("name") if isinstance(named, Mapping) else None
        if node is not None:
            yield node, (*at, number, "name")


def _rule_names(categories: Node | None, at: Steps) -> Iterator[tuple[Node, Steps]]:
    for number, category in items(categories):
        if isinstance(category, Mapping):
            yield from _names(category.get("rules"), (*at, number, "rules"))


def _duplicates(names: Iterable[tuple[Node, Steps]], *, code: str, what: str) -> Iterator[Fault]:
    seen: dict[str, Span] = {}
    for node, at in names:
        name = text_at(node)
        first = seen.setdefault(name, node.span) if name else node.span
        if first is not node.span:
            message = f"{what} {quote(name or '')} is given twice; first at {first.line}:{first.column}"
            yield Fault(code=code, span=node.span, path=write_path(at), message=message)


def _category(category: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    rules = category.entry("rules")
    if rules is None or is_absent(rules.value):
        span = rules.span if rules else category.span
        message = "a category needs at least one rule"
        yield Fault(code="no-rules", span=span, path=write_path((*at, "rules")), message=message)
        return
    for number, rule in items(rules.value):
        if isinstance(rule, Mapping):
            yield from _rule(rule, source, at=(*at, "rules", number))


def _no_condition(category: Mapping, *, at: Steps) -> Iterator[Fault]:
    """Yield a fault for a category that asks for a condition, and whose name no condition can have."""
    name, asked = category.entry("name"), category.get("condition")
    written = name and text_at(name.value)
    if not name or not written or not (isinstance(asked, Scalar) and asked.value is True) or can_be_named(written):
        return
    is_long = len(written.encode()) > LONGEST_CATEGORY
    why = f"is over {LONGEST_NAME} bytes after its slash" if is_long else "is no valid name"
    message = f"the condition {quote(of_category(written))} {why}, so Kubernetes would refuse the status of the pod"
    hint = (
        f"give the category a name of at most {LONGEST_CATEGORY} characters of a-z, A-Z, 0-9, `-`, `_` and `.`, of "
        "which the last is none of these three, or delete `condition: true`"
    )
    yield Fault(code="no-condition", span=name.value.span, path=write_path((*at, "name")), message=message, hint=hint)


def _rule(rule: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    yield from matcher_fault(rule, (*MATCHERS, "allOf"), at=at)
    yield from pattern_faults(rule, PATTERNS, source, at=at)
    confirming = list(_parts(rule, "corroboratedBy", at=at))
    for part, here in (*_parts(rule, "allOf", at=at), *confirming):
        yield from matcher_fault(part, MATCHERS, at=here, what="part")
        yield from pattern_faults(part, PATTERNS, source, at=here)
    for part, here in confirming:
        yield from _no_signs(part, at=here)
    yield from _no_proof(rule, at=at)


def _no_proof(rule: Mapping, *, at: Steps) -> Iterator[Fault]:
    """Yield a fault for a proof on a rule that cannot have it."""
    proof = rule.entry("proof")
    if proof is None or is_absent(proof.value):
        return
    parts = [rule, *(part for part, _ in _parts(rule, "allOf", at=at))]
    seen = {
        entry.key for part in parts for entry in part.entries if entry.key in MATCHERS and not is_absent(entry.value)
    }
    if text_at(rule.get("role")) == Role.WRAPPER and text_at(proof.value) not in IN_WRAPPERS:
        message = "a wrapper only passes on that something failed, so it proves nothing"
    elif seen & _WORDS and not seen & _SIGNS and text_at(proof.value) in _OF_SIGNS:
        message = f"{quote(text_at(proof.value) or '')} cannot rest on what programs wrote"
    elif seen and seen <= _SAY_NO_CAUSE:
        message = "an exit code, a signal or a namespace does not say why, so it proves nothing"
    else:
        return
    hint = f"delete it; of what programs write, only {', '.join(sorted(IN_TEXT))} prove anything"
    yield Fault(code="no-proof", span=proof.span, path=write_path((*at, "proof")), message=message, hint=hint)


def _parts(rule: Mapping, name: str, *, at: Steps) -> Iterator[tuple[Mapping, Steps]]:
    """Yield the parts that a field lists, with their paths."""
    for number, part in items(rule.get(name)):
        if isinstance(part, Mapping):
            yield part, (*at, name, number)


def _no_signs(part: Mapping, *, at: Steps) -> Iterator[Fault]:
    """Yield a fault for each matcher and condition that is no sign of the system."""
    for entry in (entry for entry in part.entries if not is_absent(entry.value)):
        if entry.key in _ONLY_WORDS:
            message = f"{quote(entry.key)} reads what programs wrote, so it cannot corroborate"
            hint = "name a sign of the system, such as `onPodEvents` or `onNodeLog`"
            path = write_path((*at, entry.key))
            yield Fault(code="no-sign", span=entry.span, path=path, message=message, hint=hint)
        elif entry.key in _NARROW:
            yield _narrows(entry.key, entry.span, at=(*at, entry.key))
    for number, condition in items(part.get(Conditions.NAME)):
        name = text_at(condition)
        if name in GUARDS:
            yield _narrows(name, condition.span, at=(*at, Conditions.NAME, number))


def _narrows(name: str, span: Span, *, at: Steps) -> Fault:
    message = f"{quote(name)} only narrows what other matchers find, so it cannot corroborate"
    hint = "delete it, or move it into the `allOf` of the rule"
    return Fault(code="no-sign", span=span, path=write_path(at), message=message, hint=hint)
