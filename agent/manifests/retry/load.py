"""Retry policies: documents that people write, checked as a whole and compiled to the values that core decides with."""

from collections.abc import Iterator

from agent.core.retry.policy import RetryPolicy
from agent.documents.checked import Checked, Steps, check_text, empty_document, problems_of, with_faults
from agent.documents.compose import read
from agent.documents.node import Mapping, Node, PathStep, Span, find, items, text_at, write_path
from agent.documents.problem import ManifestError, errors_of, quote
from agent.documents.shape import check
from agent.documents.source import Fault, Source
from agent.manifests.matchers.faults import matcher_fault, pattern_faults
from agent.manifests.matchers.written import pattern_fields
from agent.manifests.retry import armada
from agent.manifests.retry.compile import compile_shape
from agent.manifests.retry.findings import findings
from agent.manifests.retry.shapes import MATCHERS, SINGLE_MATCHERS, RetryPolicyShape

_KIND = "RetryPolicy"
_SPEC: Steps = ("spec",)
_RULES = (*_SPEC, "rules")
_PATTERNS = pattern_fields(SINGLE_MATCHERS)


def load_retry_policy(text: str | bytes, *, file: str) -> RetryPolicy:
    """Return the policy of a file, in either dialect. Raises ``ManifestError`` with every fault at once."""
    return check_text(text, check_retry_policy, file=file).value_or_raise()


def check_retry_policy(root: Node, source: Source) -> Checked[RetryPolicy]:
    if text_at(find(root, ("apiVersion",))) == armada.API_VERSION:
        policy, found = armada.read_armada_policy(root)
        return _checked(policy, list(found), root, source, at=())
    if (other := _other_kind(root)) is not None:
        return with_faults([other], source)
    shape = check(RetryPolicyShape, root)
    faults = [*shape.faults, *_faults_between_fields(root, source)]
    policy = None if faults or shape.value is None else compile_shape(shape.value)
    return _checked(policy, faults, root, source, at=_SPEC)


def _other_kind(root: Node) -> Fault | None:
    """The one fault of a document of somebody else, in place of a fault for each of its fields."""
    at = find(root, ("kind",))
    kind, version = text_at(at), text_at(find(root, ("apiVersion",))) or ""
    if at is None or kind in (None, _KIND) or version.startswith(armada.GROUP):
        return None
    message = f"this is a {kind}, and not a {_KIND}"
    hint = f"`failctl schema retrypolicy` describes a {_KIND}; what policies are asked about goes with -f"
    return Fault(code="wrong-kind", span=at.span, path="kind", message=message, hint=hint)


def _checked(
    policy: RetryPolicy | None, faults: list[Fault], root: Node, source: Source, *, at: Steps
) -> Checked[RetryPolicy]:
    if policy is None:
        return with_faults(faults, source)
    return Checked(value=policy, problems=problems_of(findings(policy, root, at=at), source))


def _faults_between_fields(root: Node, source: Source) -> Iterator[Fault]:
    """Yield the faults between fields. They are found in the tree, so that a fault of the shape hides none."""
    named: dict[str, Span] = {}
    for number, rule in items(find(root, _RULES)):
        at = (*_RULES, number)
        if not isinstance(rule, Mapping):
            continue
        yield from matcher_fault(rule, MATCHERS, at=at)
        yield from _matcher(rule, source, at=at)
        yield from _duplicate_name(rule, named, at=at)
        for index, part in items(rule.get("allOf")):
            if isinstance(part, Mapping):
                yield from matcher_fault(part, SINGLE_MATCHERS, at=(*at, "allOf", index))
                yield from _matcher(part, source, at=(*at, "allOf", index))


def _matcher(rule: Mapping, source: Source, *, at: tuple[PathStep, ...]) -> Iterator[Fault]:
    yield from pattern_faults(rule, _PATTERNS, source, at=at)
    entry = rule.entry("onSubcategory")
    if entry is not None and rule.entry("onCategory") is None:
        message = "`onSubcategory` narrows `onCategory`, which is missing"
        path = write_path((*at, "onSubcategory"))
        yield Fault(code="subcategory-alone", span=entry.span, path=path, message=message)


def _duplicate_name(rule: Mapping, named: dict[str, Span], *, at: tuple[PathStep, ...]) -> Iterator[Fault]:
    node = rule.get("name")
    name = text_at(node)
    if node is None or not name:
        return
    first = named.setdefault(name, node.span)
    if first is not node.span:
        message = f"the rule {quote(name)} is given twice; first at {first.line}:{first.column}"
        hint = "retries are counted by this name: give each rule its own"
        path = write_path((*at, "name"))
        yield Fault(code="duplicate-rule-name", span=node.span, path=path, message=message, hint=hint)


def load_retry_policies(text: str | bytes, *, file: str) -> tuple[RetryPolicy, ...]:
    """Return the policies of a file, one a document. Raises ``ManifestError`` with every fault at once."""
    documents = read(text, file=file)
    checked = [check_retry_policy(root, documents.source) for root in documents.roots]
    problems = errors_of((*documents.problems, *(problem for policy in checked for problem in policy.problems)))
    if not documents.roots and not problems:
        problems = (documents.source.problem(empty_document()),)
    if problems:
        raise ManifestError(problems)
    return tuple(policy.value_or_raise() for policy in checked)
