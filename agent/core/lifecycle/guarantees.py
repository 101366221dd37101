"""What the loop guarantees, by stable names. docs/jobs-lifecycle.md explains them; code and tests refer to them."""

from enum import StrEnum


class Guarantee(StrEnum):
    """A promise of the loop. The names are stable: pages, tests and explanations use them."""

    STARTS_ONLY_BY_UID = "starts-only-by-uid"
    ONE_UID_PER_RUN = "one-uid-per-run"
    BELONGS_BY_UID = "belongs-by-uid"
    CLOSED_RUN_NEVER_SENT = "closed-run-never-sent"
    NO_UID_NO_ANSWER = "no-uid-no-answer"
    REJECTION_COUNTS_NOTHING = "rejection-counts-nothing"
    ONE_VERDICT_PER_RUN = "one-verdict-per-run"
    FIRST_ENDING_WINS = "first-ending-wins"
    STOP_WITH_EVERY_END = "stop-with-every-end"
    NEXT_RUN_AFTER_CONFIRMATION = "next-run-after-confirmation"
    ONLY_CONTAINERS_CONFIRM = "only-containers-confirm"
    SUCCESS_BEFORE_NEXT_RUN = "success-before-next-run"
    NO_RUN_AFTER_END = "no-run-after-end"
    NEVER_RETRY_FORBIDS = "never-retry-forbids"
    SILENCE_PROVES_NOTHING = "silence-proves-nothing"
    HELD_NOT_FAILED = "held-not-failed"
    REPEATS_CHANGE_NOTHING = "repeats-change-nothing"
    ANSWERED_OR_REPEATED = "answered-or-repeated"
