"""The words of a verdict: what is to happen, and the code of the reason."""

from enum import StrEnum


class VerdictAction(StrEnum):
    """What is to happen to the job after this run."""

    RETRY = "retry"
    FAIL = "fail"


class Reason(StrEnum):
    """Why, for machines. A limit is named for the level whose number bound."""

    RULE = "rule"
    DEFAULT_ACTION = "default-action"
    RULE_LIMIT = "rule-limit"
    POLICY_LIMIT = "policy-limit"
    GLOBAL_LIMIT = "global-limit"
    BUDGET = "budget"
    ERROR_TABLE = "error-table"
    NO_NODE = "no-node"
    FAIL_FAST = "fail-fast"
    LEGACY = "legacy"
    LEGACY_LIMIT = "legacy-limit"
