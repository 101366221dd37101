"""Values of the core, drawn: what every law over evidence, failures and run events starts from."""

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core import evidence as ev
from agent.core import failure as words
from agent.core import run_command as commands
from agent.core import run_event as runs
from agent.core.heartbeat import Heartbeat, NodeShape, RunOffer
from agent.core.lifecycle.run import GracefulShutdown, LostCluster

T = TypeVar("T")

INT32 = st.integers(-(2**31), 2**31 - 1)
COUNTS = st.integers(0, 2**31 - 1)
TIMES = st.datetimes(
    min_value=datetime.fromisoformat("0001-01-02"),
    max_value=datetime.fromisoformat("9999-12-30"),
    timezones=st.just(UTC),
)
LETTERS = st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\n\t")
NASTY = ("\x00", "\x1b[31m", "\x7f", "\x9b", "\r", "\ud800", "\udfff", "\u2028", "é", "\x08", "password=x1y2z3")


def texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Stripped text: no control character but newline and tab, no surrogate."""
    return st.text(LETTERS, max_size=max_size)


def hostile_texts(max_pieces: int = 4) -> st.SearchStrategy[str]:
    """Any text, often with NUL, escapes, C1 controls and lone surrogates in it."""
    return st.lists(st.sampled_from(NASTY) | st.text(max_size=8), max_size=max_pieces).map("".join)


def long_texts() -> st.SearchStrategy[str]:
    """Texts of every length that matters to bounds, of one to four bytes a character."""
    letters = st.sampled_from(["x", "é", "☃", "🦀", "line of text\n", "x y: z\n"])
    return st.builds(lambda piece, times: piece * times, letters, st.sampled_from([0, 0, 0, 1, 63, 260, 1400, 5000]))


def rows(row: st.SearchStrategy[T], max_size: int = 3) -> st.SearchStrategy[tuple[T, ...]]:
    """Tuples of up to so many."""
    return st.lists(row, max_size=max_size).map(tuple)


def marks(path: st.SearchStrategy[str], max_size: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Paths of fields, each named once."""
    return st.lists(path, max_size=max_size, unique=True).map(tuple)


def states(text: st.SearchStrategy[str]) -> st.SearchStrategy[ev.ContainerState]:
    return st.builds(
        ev.ContainerState,
        kind=st.sampled_from(ev.StateKind),
        reason=text,
        message=text,
        exit_code=st.none() | INT32,
        signal=st.none() | INT32,
        started_at=st.none() | TIMES,
        finished_at=st.none() | TIMES,
    )


@st.composite
def containers(draw: st.DrawFn, text: st.SearchStrategy[str]) -> ev.Container:
    """Containers; one that ended did so in its state or its last state."""
    drawn: ev.Container = draw(
        st.builds(
            ev.Container,
            name=text,
            kind=st.sampled_from(ev.ContainerKind),
            image=text,
            state=states(text),
            last_state=st.none() | states(text),
            restarts=COUNTS,
            ready=st.booleans(),
            injected=st.none() | st.booleans(),
        )
    )
    return replace(drawn, ended=draw(st.sampled_from([None, drawn.state, drawn.last_state])))


def conditions(text: st.SearchStrategy[str]) -> st.SearchStrategy[ev.Condition]:
    """Conditions of a pod or node."""
    return st.builds(
        ev.Condition,
        type=text,
        status=text,
        reason=text,
        message=text,
        transitioned_at=st.none() | TIMES,
        heartbeat_at=st.none() | TIMES,
    )


def pods(text: st.SearchStrategy[str], size: int = 3) -> st.SearchStrategy[ev.Pod]:
    """Pods with up to ``size`` containers and conditions."""
    return st.builds(
        ev.Pod,
        phase=st.sampled_from(["", "Pending", "Running", "Failed", "Succeeded"]) | text,
        reason=text,
        message=text,
        qos_class=text,
        started_at=st.none() | TIMES,
        deleted_at=st.none() | TIMES,
        conditions=rows(conditions(text), size),
        containers=rows(containers(text), size),
        restart_policy=text,
        controller=st.none() | text,
    )


def nodes(text: st.SearchStrategy[str], size: int = 3) -> st.SearchStrategy[ev.Node]:
    taints = st.builds(ev.Taint, key=text, value=text, effect=text, added_at=st.none() | TIMES)
    return st.builds(
        ev.Node,
        name=text,
        conditions=rows(conditions(text), size),
        taints=rows(taints, size),
        unschedulable=st.booleans(),
        log_lines=rows(text, size),
    )


def events(text: st.SearchStrategy[str]) -> st.SearchStrategy[ev.Event]:
    return st.builds(
        ev.Event,
        reason=text,
        message=text,
        type=st.sampled_from(["Normal", "Warning"]) | text,
        count=COUNTS,
        first_at=st.none() | TIMES,
        last_at=st.none() | TIMES,
        component=text,
    )


def log_tails(text: st.SearchStrategy[str]) -> st.SearchStrategy[ev.LogTail]:
    return st.builds(ev.LogTail, container=text, text=text, previous=st.booleans())


def missing(text: st.SearchStrategy[str]) -> st.SearchStrategy[ev.MissingEvidence]:
    """Evidence that could not be had."""
    return st.builds(ev.MissingEvidence, what=text, reason=text)


def evidence(text: st.SearchStrategy[str] | None = None, size: int = 3) -> st.SearchStrategy[ev.Evidence]:
    """Evidence, its texts as given, else stripped ones."""
    text = texts() if text is None else text
    return st.builds(
        ev.Evidence,
        pod=pods(text, size),
        pod_error=text,
        events=rows(events(text), 12),
        node=st.none() | nodes(text, size),
        log_tails=rows(log_tails(text), size),
        missing=rows(missing(text), size),
        sanitized=marks(text, size),
    )


def matches(text: st.SearchStrategy[str]) -> st.SearchStrategy[words.Match]:
    return st.builds(
        words.Match,
        category=text,
        subcategory=text,
        rule_index=COUNTS,
        matcher=text,
        where=text,
        text=text,
        trust=st.sampled_from(words.Trust),
        container=text,
    )


def classifications(
    text: st.SearchStrategy[str] | None = None, size: int = 3
) -> st.SearchStrategy[words.Classification]:
    text = texts() if text is None else text
    return st.builds(
        words.Classification,
        category=text,
        subcategory=text,
        origin=st.sampled_from(words.Origin),
        hint=text,
        action=st.sampled_from(words.CategoryAction),
        advice=st.none() | st.sampled_from(words.Advice),
        matched=st.booleans(),
        weak=st.booleans(),
        categories=rows(text, size),
        matches=rows(matches(text), size),
        matches_left_out=COUNTS,
        timed_out=rows(text, size),
        revision=text,
        mechanism=st.none() | st.sampled_from(words.Mechanism),
        corroborated=st.none() | st.booleans(),
        grade=st.none() | st.sampled_from(words.Grade),
        proof=st.none() | st.sampled_from(words.Proof),
        hypotheses=rows(st.builds(words.Hypothesis, match=matches(text), refused=text), size),
        hypotheses_left_out=COUNTS,
        detail=st.lists(
            st.builds(words.Detail, key=st.sampled_from(words.DetailKey), value=text),
            max_size=3,
            unique_by=lambda detail: detail.key,
        ).map(tuple),
    ).map(_unweighed_without_mechanism)


def _unweighed_without_mechanism(given: words.Classification) -> words.Classification:
    """Without a mechanism nothing was weighed."""
    if given.mechanism is not None:
        return given
    return replace(given, corroborated=None, grade=None, proof=None, hypotheses=(), hypotheses_left_out=0)


def failures(text: st.SearchStrategy[str] | None = None, size: int = 3) -> st.SearchStrategy[words.Failure]:
    """Failures of every kind, whether or not one could come about."""
    text = texts() if text is None else text
    return st.builds(
        words.Failure,
        occurrence=st.sampled_from(words.Occurrence),
        classification=classifications(text, size),
        exit_code=st.none() | INT32,
        termination_message=text,
        container_name=text,
        culprit_container=text,
        termination_reason=text,
        signal=st.none() | INT32,
        user_code=st.builds(
            words.UserCode,
            ran=st.none() | st.booleans(),
            culprit_is_users=st.none() | st.booleans(),
            reason=text,
        ),
        pod=pods(text, size),
        pod_error=text,
        node=st.none() | nodes(text, size),
        events=rows(events(text), size),
        events_left_out=COUNTS,
        stack_trace=st.none()
        | st.builds(
            words.StackTrace,
            tail=text,
            key_line=text,
            line_count=COUNTS,
            candidates=st.lists(st.builds(words.KeyLine, text=text, why=text), max_size=3).map(tuple),
        ),
        log_tails=rows(log_tails(text), size),
        truncated=marks(text, size),
        sanitized=marks(text, size),
        redacted=marks(text, size),
        missing=rows(missing(text), size),
        check=st.none()
        | st.builds(
            words.CheckFinding,
            check=text,
            action=st.sampled_from(words.CheckAction),
            cause=st.sampled_from(words.CheckCause),
        ),
        fingerprint=st.just("") | st.just("v1:9f86d081884c7d65"),
        overruled=st.none() | classifications(text, size).map(lambda given: replace(given, categories=())),
        admission=st.none()
        | st.builds(
            words.Admission,
            conditions=marks(text, size),
            shadow=st.booleans(),
            disagreeing=marks(text, size),
        ),
        limit=st.none() | st.builds(words.ReachedLimit, what=text, limit=text, used=text),
    )


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30)


def run_events() -> st.SearchStrategy[runs.RunEvent]:
    """Run events of every kind."""
    return st.builds(
        runs.RunEvent,
        event_id=NAMES,
        cluster_id=NAMES,
        cluster=texts(),
        identity=st.builds(
            runs.Identity,
            job_id=NAMES,
            run_id=NAMES,
            queue=texts(),
            job_set=texts(),
            gang_id=texts(),
            attempt=st.none() | COUNTS,
            job_set_id=NAMES,
            index=st.none() | COUNTS,
        ),
        pod=st.builds(runs.PodReference, namespace=texts(), name=texts(), uid=texts(), node=texts()),
        occurred_at=TIMES,
        observed_at=TIMES,
        event=st.sampled_from(runs.RunPhase)
        | failures()
        | st.builds(runs.Amendment, amends=NAMES, failure=failures())
        | st.builds(runs.RunRejected, reason=texts(), message=texts())
        | st.builds(runs.CreationFailed, reason=texts(), message=texts())
        | st.builds(runs.RunCreated)
        | st.builds(runs.NameHeld, uid=texts())
        | st.builds(runs.RunStopped, answer=st.sampled_from(runs.StopAnswer)),
        confirmed=st.none() | st.sampled_from(runs.Confirmation),
        gated=st.booleans(),
    )


def run_commands() -> st.SearchStrategy[commands.RunCommand]:
    """Commands of every kind."""
    pods = st.builds(runs.PodReference, namespace=NAMES, name=NAMES, uid=NAMES, node=texts())
    create = st.builds(
        commands.CreateRun,
        queue=texts(),
        job_set=texts(),
        namespace=NAMES,
        pod_name=NAMES,
        index=COUNTS,
        pod=st.binary(min_size=1),
        lost_cluster=st.sampled_from(LostCluster),
        graceful_shutdown=st.sampled_from(GracefulShutdown),
        grace=st.timedeltas(timedelta(0), timedelta(days=365)),
    )
    return st.builds(
        commands.RunCommand,
        cluster_id=NAMES,
        job_id=NAMES,
        run_id=NAMES,
        issued_at=TIMES,
        command=create
        | st.builds(commands.StartRun, pods)
        | st.builds(commands.StopRun, pods)
        | st.builds(commands.DiscardRun, pods),
    )


def heartbeats() -> st.SearchStrategy[Heartbeat]:
    allocatable = st.dictionaries(texts(), texts(), max_size=3).map(lambda given: tuple(sorted(given.items())))
    longs = st.integers(0, 2**63 - 1)
    return st.builds(
        Heartbeat,
        cluster_id=NAMES,
        cluster=texts(),
        epoch=longs,
        incarnation=NAMES,
        spool_id=texts(),
        last_spooled=longs,
        last_acknowledged=longs,
        node_shapes=rows(st.builds(NodeShape, allocatable=allocatable, ready=COUNTS, total=COUNTS)),
        sent_at=st.none() | TIMES,
        runs=st.none() | st.builds(RunOffer, namespaces=rows(texts()), max_runs=COUNTS),
    )
