"""What the API server refuses in ``podFailurePolicy`` and ``successPolicy``."""

from collections.abc import Iterator, Sequence

from agent.core.job.field_error import (
    FieldError,
    Sort,
    invalid,
    listed,
    not_negative,
    not_supported,
    required,
    too_long,
    too_many,
)
from agent.core.job.index_text import IndexTextError, count_indexes
from agent.core.job.validation_name import validate_qualified_name
from agent.core.job.words import (
    COUNT,
    FAIL_INDEX,
    FAIL_JOB,
    IGNORE,
    IN,
    NOT_IN,
    ConditionPattern,
    ExitCodes,
    JobSpec,
    PolicyRule,
    SuccessRule,
)

MOST_RULES = 20
MOST_VALUES = 255
MOST_PATTERNS = 20
MOST_SUCCESS_RULES = 20
LONGEST_INDEXES = 64 * 1024
ACTIONS = (COUNT, FAIL_INDEX, FAIL_JOB, IGNORE)
OPERATORS = (IN, NOT_IN)
STATUSES = ("False", "True", "Unknown")


def validate_pod_failure_policy(policy: Sequence[PolicyRule], spec: JobSpec) -> Iterator[FieldError]:
    """Yield every error of ``podFailurePolicy`` (``validatePodFailurePolicy``)."""
    field = "spec.podFailurePolicy.rules"
    if len(policy) > MOST_RULES:
        yield too_many(field, len(policy), MOST_RULES)
    for at, rule in enumerate(policy):
        yield from _rule(rule, spec, f"{field}[{at}]")


def validate_success_policy(rules: Sequence[SuccessRule], spec: JobSpec) -> Iterator[FieldError]:
    """Yield every error of ``successPolicy`` of an Indexed Job (``validateSuccessPolicy``).

    If ``completions`` is missing, upstream panics; here the rules are then not compared with it.
    """
    field = "spec.successPolicy.rules"
    if not rules:
        yield required(field, "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > MOST_SUCCESS_RULES:
        yield too_many(field, len(rules), MOST_SUCCESS_RULES)
    for at, rule in enumerate(rules):
        yield from _success_rule(rule, spec, f"{field}[{at}]")


def _rule(rule: PolicyRule, spec: JobSpec, field: str) -> Iterator[FieldError]:
    if not rule.action:
        yield required(f"{field}.action", f"valid values: {listed(ACTIONS)}")
    elif rule.action == FAIL_INDEX:
        if spec.backoff_limit_per_index is None:
            yield invalid(f"{field}.action", rule.action, "requires the backoffLimitPerIndex to be set")
    elif rule.action not in ACTIONS:
        yield not_supported(f"{field}.action", rule.action, ACTIONS)
    if rule.exit_codes is not None:
        yield from _exit_codes(rule.exit_codes, spec, f"{field}.onExitCodes")
    if rule.pod_conditions:
        yield from _conditions(rule.pod_conditions, f"{field}.onPodConditions")
    both = FieldError(sort=Sort.INVALID, field=field)
    if rule.exit_codes is not None and rule.pod_conditions:
        yield invalid(field, both.value, "specifying both OnExitCodes and OnPodConditions is not supported")
    if rule.exit_codes is None and not rule.pod_conditions:
        yield invalid(field, both.value, "specifying one of OnExitCodes and OnPodConditions is required")


def _exit_codes(codes: ExitCodes, spec: JobSpec, field: str) -> Iterator[FieldError]:
    if not codes.operator:
        yield required(f"{field}.operator", f"valid values: {listed(OPERATORS)}")
    elif codes.operator not in OPERATORS:
        yield not_supported(f"{field}.operator", codes.operator, OPERATORS)
    if codes.container_name is not None and codes.container_name not in spec.template.container_names:
        detail = "must be one of the container or initContainer names in the pod template"
        yield invalid(f"{field}.containerName", codes.container_name, detail)
    yield from _values(codes, f"{field}.values")


def _values(codes: ExitCodes, field: str) -> Iterator[FieldError]:
    values = codes.values or ()
    if not values:
        yield invalid(field, codes.values, "at least one value is required")
    elif len(values) > MOST_VALUES:
        yield too_many(field, len(values), MOST_VALUES)
    seen: set[int] = set()
    for at, value in enumerate(values):
        if codes.operator == IN and value == 0:
            yield invalid(f"{field}[{at}]", value, "must not be 0 for the In operator")
        if value in seen:
            yield FieldError(sort=Sort.DUPLICATE, field=f"{field}[{at}]", value=value)
        seen.add(value)
    if list(values) != sorted(values):
        yield invalid(field, values, "must be ordered")


def _conditions(patterns: Sequence[ConditionPattern], field: str) -> Iterator[FieldError]:
    if len(patterns) > MOST_PATTERNS:
        yield too_many(field, len(patterns), MOST_PATTERNS)
    for at, pattern in enumerate(patterns):
        yield from validate_qualified_name(f"{field}[{at}].type", pattern.type)
        if not pattern.status:
            yield required(f"{field}[{at}].status", f"valid values: {listed(STATUSES)}")
        elif pattern.status not in STATUSES:
            yield not_supported(f"{field}[{at}].status", pattern.status, STATUSES)


def _success_rule(rule: SuccessRule, spec: JobSpec, field: str) -> Iterator[FieldError]:
    if rule.succeeded_count is None and rule.succeeded_indexes is None:
        yield required(field, "at least one of succeededCount or succeededIndexes must be specified")
    total = 0
    if rule.succeeded_indexes is not None:
        where = f"{field}.succeededIndexes"
        if len(rule.succeeded_indexes.encode()) > LONGEST_INDEXES:
            yield too_long(where, LONGEST_INDEXES)
        if spec.completions is not None:
            try:
                total = count_indexes(rule.succeeded_indexes, completions=spec.completions)
            except IndexTextError as error:
                yield invalid(where, rule.succeeded_indexes, f"error parsing succeededIndexes: {error}")
    if rule.succeeded_count is not None and spec.completions is not None:
        yield from _succeeded_count(rule, rule.succeeded_count, f"{field}.succeededCount", (spec.completions, total))


def _succeeded_count(rule: SuccessRule, count: int, field: str, totals: tuple[int, int]) -> Iterator[FieldError]:
    completions, named = totals
    yield from not_negative(field, count)
    most = "must be less than or equal to"
    if count > completions:
        yield invalid(field, count, f"{most} {completions} (the number of specified completions)")
    if rule.succeeded_indexes is not None and count > named:
        detail = f"{most} {named} (the number of indexes in the specified succeededIndexes field)"
        yield invalid(field, count, detail)
