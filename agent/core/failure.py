"""The types that make up a failure. No behaviour, no I/O."""

from enum import StrEnum

from msgspec import Struct

from agent.core.evidence import Event, LogTail, MissingEvidence, Node, Pod

NO_CATEGORY = "none"
"""The category of a failure that no rule matched, if the file names no default."""


class Occurrence(StrEnum):
    """What was observed to happen to a run; docs/occurrences.md explains each."""

    POD_FAILED = "pod-failed"
    DELETED_EXTERNALLY = "deleted-externally"
    MISSING = "missing"
    NEVER_STARTED = "never-started"
    DEADLINE_EXCEEDED = "deadline-exceeded"
    STUCK_TERMINATING = "stuck-terminating"
    CONTAINER_RESTARTED = "container-restarted"
    LEASE_EXPIRED = "lease-expired"
    NEVER_CREATED = "never-created"


ENDS = frozenset({Occurrence.POD_FAILED, Occurrence.DELETED_EXTERNALLY, Occurrence.MISSING, Occurrence.LEASE_EXPIRED})
"""Occurrences after which no pod of the run is alive."""

HALTS = frozenset({Occurrence.NEVER_STARTED, Occurrence.DEADLINE_EXCEEDED, Occurrence.STUCK_TERMINATING})
"""Occurrences after which the run must be stopped: its pod may still be alive."""

IN_RUN = frozenset({Occurrence.CONTAINER_RESTARTED})
"""Occurrences within a run that goes on."""

UNDECIDED = IN_RUN | {Occurrence.NEVER_CREATED}
"""Occurrences that are recorded and counted, and are never a reason for a new run.

A pod that its owner could not create is no run: the owner tries again by itself.
"""


class Mechanism(StrEnum):
    """How a run ended, as the system reports it (``agent.core.classify.mechanism``), in the order of precedence."""

    NEVER_CREATED = "never-created"
    UNSCHEDULABLE = "unschedulable"
    REJECTED = "rejected"
    NOT_STARTED = "not-started"
    EVICTED = "evicted"
    PREEMPTED = "preempted"
    DELETED = "deleted"
    NODE_SHUTDOWN = "node-shutdown"
    NODE_LOST = "node-lost"
    DEADLINE = "deadline"
    OOM_CGROUP = "oom-cgroup"
    OOM_NODE = "oom-node"
    PROBE_KILLED = "probe-killed"
    SIGNALLED = "signalled"
    EXITED = "exited"
    SUCCEEDED = "succeeded"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """To whom a failure is attributed."""

    INFRA = "infra"
    PLATFORM = "platform"
    USER = "user"
    UNKNOWN = "unknown"


class Advice(StrEnum):
    """A rule's advice on retries. Retry policies decide; this only informs them."""

    NEVER = "never"
    SAME = "same"
    ELSEWHERE = "elsewhere"
    CHANGED = "changed"


class Grade(StrEnum):
    """How well the advice on a failure is known (docs/evidence.md, Grades)."""

    PROVEN = "proven"
    LIKELY = "likely"
    UNKNOWN = "unknown"


class Proof(StrEnum):
    """Why the advice of a rule is certain; ``classify.proof`` has a sentence for each.

    Up to ``ARGUMENTS``: why the same input must fail again. From ``DISRUPTED`` on: what of the cluster failed.
    """

    COMMAND = "command"
    IMAGE = "image"
    SPEC = "spec"
    REFERENCE = "reference"
    TOO_LARGE = "too-large"
    OWN_LIMIT = "own-limit"
    GIVEN_UP = "given-up"
    DONE = "done"
    CODE = "code"
    ARGUMENTS = "arguments"
    DISRUPTED = "disrupted"
    NODE = "node"
    DEVICE = "device"
    COMPONENT = "component"
    BUSY = "busy"


class Advised(StrEnum):
    """What is advised in effect: advice that is not proven is a try, one retry (``classify.grade``)."""

    NEVER = "never"
    SAME = "same"
    ELSEWHERE = "elsewhere"
    CHANGED = "changed"
    TRY = "try"
    TRY_ELSEWHERE = "try-elsewhere"


class CategoryAction(StrEnum):
    """What the agent does with a failed pod, in the file's spelling."""

    RETAIN = "Retain"
    DELETE = "Delete"


class Trust(StrEnum):
    """Who wrote the text a rule matched."""

    SYSTEM = "system"
    USER_TEXT = "user text"


class Match(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One rule that matched: the rule, the text, the place, and who wrote the text.

    ``rule_index`` counts from 0 within the category, or within what ``pack`` has of it, where the rules are in packs.
    ``rule`` is the rule's name there, which stays when others are added or moved. ``text`` is what matched, not the
    whole field.
    """

    category: str
    subcategory: str = ""
    rule_index: int
    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""
    pack: str = ""
    rule: str = ""


class Hypothesis(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A rule that matched and was refused, and why; nothing acts on it."""

    match: Match
    refused: str


class DetailKey(StrEnum):
    """What a detail of a failure is: the name of a group in a rule's pattern.

    ``fingerprinted`` says whether failures that differ in it are different ones. Which resource is short makes
    a different failure; which rank, device, claim or quota it happened to does not.
    """

    RESOURCE = "resource"
    TAINT = "taint"
    LABEL = "label"
    QUOTA = "quota"
    CLAIM = "claim"
    IMAGE_PART = "image_part"
    PROBE = "probe"
    LIMIT = "limit"
    RANK = "rank"
    DEVICE = "device"

    @property
    def fingerprinted(self) -> bool:
        """Whether it enters the fingerprint."""
        return self not in (DetailKey.QUOTA, DetailKey.CLAIM, DetailKey.RANK, DetailKey.DEVICE)


class Detail(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One fact below the leaf, such as which resource was short."""

    key: DetailKey
    value: str


class Classification(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The result of the rules for a failure. ``matches[0]`` belongs to the primary category.

    ``weak``: the primary rule rests only on an exit code, a bare reason or uncorroborated text, and proves nothing, so
    late evidence may reveal more. ``mechanism``, ``corroborated`` and the hypotheses are given under ``order:
    evidence``.
    ``corroborated``: whether a sign of the system confirms that infrastructure or platform is to blame; ``None`` if
    neither is blamed. ``grade`` says how well the ``advice`` is known, and ``proof`` why it is proven; both are given
    under ``order: evidence`` too. ``advice`` is the rule's own; ``classify.grade.advised`` gives what is advised in
    effect. ``timed_out`` names the backtracking rules that timed out, such as ``cuda_error rule 2``;
    ``matches_left_out`` counts matching rules beyond those in ``matches``. ``detail`` has each key at most once.
    """

    category: str
    subcategory: str = ""
    origin: Origin = Origin.UNKNOWN
    hint: str = ""
    action: CategoryAction = CategoryAction.RETAIN
    advice: Advice | None = None
    matched: bool = False
    weak: bool = False
    categories: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()
    matches_left_out: int = 0
    timed_out: tuple[str, ...] = ()
    revision: str = ""
    mechanism: Mechanism | None = None
    corroborated: bool | None = None
    grade: Grade | None = None
    proof: Proof | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    hypotheses_left_out: int = 0
    detail: tuple[Detail, ...] = ()


class CheckAction(StrEnum):
    """The action of a check in the agent's settings, in the file's spelling."""

    RETRY = "Retry"
    FAIL = "Fail"


class CheckCause(StrEnum):
    """The kind of problem that a check found (docs/checks.md)."""

    STARTUP = "startup"
    NO_NODE_ASSIGNED = "no-node-assigned"
    NO_STATUS_UPDATES = "no-status-updates"
    FAILED = "failed"


class CheckFinding(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What a check found; the failure's ``pod_error`` has the message. ``check`` is its path, with index."""

    check: str
    action: CheckAction
    cause: CheckCause


class Admission(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The conditions of ours that a pod got at the moment it failed, or, with ``shadow``, would have got.

    ``disagreeing`` are those that do not follow from the failure's classification, which had more time and evidence.
    """

    conditions: tuple[str, ...]
    shadow: bool = False
    disagreeing: tuple[str, ...] = ()


class ReachedLimit(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A limit that was reached, in words: which one, its value, and what was used, which may not be known."""

    what: str
    limit: str
    used: str = ""


class UserCode(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Whether user code ran, and whether the culprit container is the user's; ``None`` is unknown."""

    ran: bool | None = None
    culprit_is_users: bool | None = None
    reason: str = ""


class KeyLine(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A line that may say why a program failed, without colours, and why it was chosen."""

    text: str
    why: str


class StackTrace(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The end of a text of more than 10 lines: its last 10 lines, and the line that names the error.

    ``candidates`` are that line and the next best, at most three.
    """

    tail: str
    key_line: str
    line_count: int
    candidates: tuple[KeyLine, ...] = ()


class Failure(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One failure of one run, ready to be spooled: stripped, classified, redacted, bounded.

    ``exit_code``, ``termination_message`` and ``container_name`` are those of the first non-zero terminated app
    container in status order, then init, without followers (``classify.followers``). ``culprit_container`` is the one
    the primary rule matched, else the first to finish; ``termination_reason`` and ``signal`` are its. ``check`` is
    the check from settings that found it. ``overruled`` is the result of the rules if the agent's own finding
    overrides it; its ``categories`` are those of ``classification`` after the first. ``fingerprint`` is the same for
    failures that are the same to people (``summary.fingerprint``). ``admission`` is absent from a pod that got no
    condition of ours. ``limit`` is the limit that was reached, if one was and is known.
    """

    occurrence: Occurrence
    classification: Classification
    exit_code: int | None = None
    termination_message: str = ""
    container_name: str = ""
    culprit_container: str = ""
    termination_reason: str = ""
    signal: int | None = None
    user_code: UserCode
    pod: Pod
    pod_error: str = ""
    node: Node | None = None
    events: tuple[Event, ...] = ()
    events_left_out: int = 0
    stack_trace: StackTrace | None = None
    log_tails: tuple[LogTail, ...] = ()
    truncated: tuple[str, ...] = ()
    sanitized: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    missing: tuple[MissingEvidence, ...] = ()
    check: CheckFinding | None = None
    overruled: Classification | None = None
    fingerprint: str = ""
    admission: Admission | None = None
    limit: ReachedLimit | None = None
