from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from agent.core.failure import Detail, DetailKey, Grade, Occurrence, Origin
from agent.core.job_state import JobState
from agent.core.limit import VerdictAction
from agent.core.run_event import RunEvent, RunPhase
from agent.store.records import port
from agent.store.records.filters import (
    MOST,
    AnyFilter,
    BadQuestion,
    CategoryName,
    FailureFilter,
    JobCondition,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
    read_details,
    read_fingerprint,
)
from agent.store.records.port import AnyRecord, Page
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from agent.store.tables.failures import LONGEST_VALUE
from tests.store.databases import new_store
from tests.store.events import START, event, failed
from tests.store.test_jobs import Decided, tell
from tests.store.test_rows import FAIL, RETRY

CATEGORIES = (("oom", "limit"), ("oom", ""), ("disk", ""))
DETAILS = (
    Detail(key=DetailKey.RESOURCE, value="nvidia.com/gpu"),
    Detail(key=DetailKey.CLAIM, value="data; DROP TABLE failure --%_'\"\u202e\x1b[2J"),
    Detail(key=DetailKey.RANK, value="7"),
)
FINGERPRINTS = ("v1:0123456789abcdef", "v1:fedcba9876543210", "")
GRADES = (None, *Grade)
JOBS = 30


def story(number: int) -> tuple[list[RunEvent], Decided]:
    """A job of one or two runs; one of two fails first, and what follows differs."""
    job, decided = f"job-{number:02}", {}
    told = [of(event(f"{job}-p", RunPhase.PENDING, run=f"{job}-a", job=job, after=number), number)]
    if number % 2:
        category, subcategory = CATEGORIES[number % 3]
        found = failed(Occurrence.POD_FAILED if number % 5 else Occurrence.CONTAINER_RESTARTED)
        given = structs.replace(
            found.classification,
            category=category,
            subcategory=subcategory,
            origin=Origin.USER if number % 7 else Origin.INFRA,
            grade=GRADES[number % 4],
            corroborated=None if number % 7 else number % 3 == 0,
            detail=tuple(one for one, never in zip(DETAILS, (3, 5, 7), strict=True) if number % never),
        )
        found = structs.replace(
            found, classification=given, exit_code=137 if number % 3 else 1, fingerprint=FINGERPRINTS[number % 3]
        )
        told.append(of(event(f"{job}-f", found, run=f"{job}-a", job=job, after=number + 0.5), number))
        if number % 5:
            decided[f"{job}-f"] = RETRY if number % 3 else FAIL
    if number % 4 == 1:
        told.append(of(event(f"{job}-s", RunPhase.SUCCEEDED, run=f"{job}-b", job=job, after=number + 1), number))
    return told, decided


def of(told: RunEvent, number: int) -> RunEvent:
    """With a queue, job set, cluster, namespace and node of its own."""
    return structs.replace(
        told,
        cluster="west" if number % 6 == 0 else "east",
        identity=structs.replace(told.identity, queue=f"q{number % 2}", job_set=f"set{number % 3}"),
        pod=structs.replace(told.pod, namespace=f"ns{number % 4}", node=f"node-{number % 5}"),
    )


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(new_store(tmp_path_factory.mktemp("lists"))) as opened:
        fill(opened)
        yield opened


def fill(store: Store) -> None:
    for number in range(JOBS):
        tell(store, *story(number))


Ask = Callable[[StoredRecords, Any, Part], Page[Any]]
LISTS: dict[type[AnyFilter], tuple[Ask, str, str]] = {
    JobFilter: (StoredRecords.jobs, "last_at", "job_id"),
    RunFilter: (StoredRecords.runs, "first_occurred_at", "run_id"),
    FailureFilter: (StoredRecords.failures, "occurred_at", "event_id"),
    VerdictFilter: (StoredRecords.verdicts, "occurred_at", "event_id"),
}
VALUES: dict[str, Sequence[Any]] = {
    "queue": ("q0", "q1", "none"),
    "job_set": ("set0", "set1"),
    "owner": ("ann", ""),
    "cluster": ("west", "east"),
    "namespace": ("ns1", "ns3"),
    "node": ("node-1", "node-3"),
    "category": (CategoryName("oom"), CategoryName("oom", "limit"), CategoryName("oom", ""), CategoryName("disk")),
    "origin": tuple(Origin),
    "grade": tuple(Grade),
    "exit_code": (1, 137, 0),
    "container": ("main", "other"),
    "action": tuple(VerdictAction),
    "state": tuple(JobCondition),
    "fingerprint": ("v1:0123456789abcdef", "v1:fedcba9876543210", "v1:0000000000000000"),
    "detail": (
        DETAILS[:1],
        DETAILS[1:2],
        DETAILS,
        (Detail(key=DetailKey.RESOURCE, value="nvidia.com"),),
        (Detail(key=DetailKey.RANK, value="nvidia.com/gpu"), DETAILS[1]),
        (),
    ),
}


def everything(records: StoredRecords, wanted: AnyFilter, part: Part) -> list[AnyRecord]:
    """All pages of a list."""
    ask, _, _ = LISTS[type(wanted)]
    page = ask(records, wanted, part)
    found = list(page.records)
    while page.after is not None:
        assert len(page.records) <= part.limit
        page = ask(records, wanted, structs.replace(part, after=page.after))
        found += page.records
    return found


def fits(record: AnyRecord, wanted: AnyFilter, at: str, part: Part) -> bool:
    time = getattr(record, at)
    asked = {one.name: value for one in structs.fields(wanted) if (value := getattr(wanted, one.name)) is not None}
    in_time = (part.since is None or time >= part.since) and (part.until is None or time < part.until)
    return in_time and all(_has(record, name, value) for name, value in asked.items())


def _has(record: AnyRecord, name: str, value: object) -> bool:
    if isinstance(value, CategoryName) and not isinstance(record, port.RunRecord):
        return record.category == value.category and value.subcategory in (None, record.subcategory)
    if value is JobCondition.ANY_FAILURE:
        return record.job_id in FAILED
    if name == "detail" and isinstance(value, tuple):
        return set(value) <= set(getattr(record, name))
    return bool(getattr(record, name) == value)


FAILED = {f"job-{number:02}" for number in range(1, JOBS, 2) if number % 5}


@st.composite
def questions(draw: st.DrawFn) -> tuple[AnyFilter, Part]:
    wanted = draw(st.sampled_from(list(LISTS)))
    names = draw(st.sets(st.sampled_from([one.name for one in structs.fields(wanted)]), max_size=3))
    times = st.none() | st.integers(0, JOBS).map(lambda seconds: START + timedelta(seconds=seconds))
    part = Part(since=draw(times), until=draw(times), limit=draw(st.integers(1, 7)))
    return wanted(**{name: draw(st.sampled_from(VALUES[name])) for name in names}), part


@pytest.mark.slow
@given(question=questions(), searched=st.integers(1, 12))
def test_all_pages_together_are_what_a_look_at_everything_finds(
    sqlite: Store, question: tuple[AnyFilter, Part], searched: int
) -> None:
    wanted, part = question
    _, at, key = LISTS[type(wanted)]
    all_of_kind = everything(StoredRecords(sqlite), type(wanted)(), Part())
    expected = [one for one in all_of_kind if fits(one, wanted, at, part)]

    assert everything(StoredRecords(sqlite, searched=searched), wanted, part) == sorted(
        expected, key=lambda one: (getattr(one, at), getattr(one, key)), reverse=True
    )


@pytest.mark.parametrize("wanted", LISTS)
def test_every_filter_of_a_list_can_be_asked(store: Store, wanted: type[AnyFilter]) -> None:
    fill(store)
    records = StoredRecords(store)
    _, at, _ = LISTS[wanted]
    all_of_kind = everything(records, wanted(), Part())

    assert len(all_of_kind) > 10
    for name in (one.name for one in structs.fields(wanted)):
        for value in VALUES[name]:
            asked = wanted(**{name: value})
            expected = [one for one in all_of_kind if fits(one, asked, at, Part())]
            assert everything(records, asked, Part(limit=4)) == expected, asked


def test_a_failure_is_shown_with_its_details_in_the_order_of_their_keys(sqlite: Store) -> None:
    records, job_1 = StoredRecords(sqlite), Part(until=START + timedelta(seconds=2))
    (found,) = records.failures(FailureFilter(detail=DETAILS[::-1]), job_1).records
    (decided,) = records.verdicts(VerdictFilter(detail=DETAILS[::-1]), job_1).records

    assert found.run_id == decided.run_id == "job-01-a"
    assert found.detail == decided.detail == DETAILS
    assert found.fingerprint == decided.fingerprint == FINGERPRINTS[1]


def test_a_job_is_shown_with_what_was_decided_last(sqlite: Store) -> None:
    (found,) = everything(
        StoredRecords(sqlite),
        JobFilter(job_set="set2", state=JobCondition.RECOVERED, queue="q1"),
        Part(limit=1, until=START + timedelta(seconds=19)),
    )

    assert isinstance(found, port.JobRecord)
    assert (found.job_id, found.state, found.runs) == ("job-17", JobState.RECOVERED, 2)


def test_a_cursor_fits_the_question_it_was_given_for(sqlite: Store) -> None:
    records = StoredRecords(sqlite)
    wanted, part = JobFilter(queue="q1"), Part(limit=2)
    after = records.jobs(wanted, part).after
    assert after is not None

    assert records.jobs(wanted, structs.replace(part, after=after, limit=9)).records
    for other, asked in (
        (JobFilter(queue="q0"), part),
        (JobFilter(), part),
        (wanted, structs.replace(part, since=START)),
    ):
        with pytest.raises(BadQuestion, match="another question"):
            records.jobs(other, structs.replace(asked, after=after))
    with pytest.raises(BadQuestion, match="another question"):
        records.runs(RunFilter(queue="q1"), structs.replace(part, after=after))


@pytest.mark.parametrize("text", ["", "x", "é", "\x00", "e30", "WyIiLDEsIiJd", "W10" * 3_000, "A" * 64, "\udcff"])
def test_what_is_no_cursor_is_refused(sqlite: Store, text: str) -> None:
    with pytest.raises(BadQuestion, match="cursor"):
        StoredRecords(sqlite).jobs(JobFilter(), Part(after=text))


@pytest.mark.parametrize("limit", [0, -1, MOST + 1])
def test_a_page_has_a_size(limit: int) -> None:
    with pytest.raises(BadQuestion, match="1 to 1,000"):
        Part(limit=limit)


def test_a_time_without_a_zone_is_no_time() -> None:
    with pytest.raises(BadQuestion, match="zone"):
        Part(since=START.replace(tzinfo=None))


@pytest.mark.parametrize("text", ["", "/", "/limit", "oom/"])
def test_what_is_no_category_is_refused(text: str) -> None:
    with pytest.raises(BadQuestion, match="not a category"):
        CategoryName.parse(text)


def test_a_category_may_be_one_of_its_parts() -> None:
    assert CategoryName.parse("oom") == CategoryName("oom")
    assert CategoryName.parse("oom/limit") == CategoryName("oom", "limit")


@pytest.mark.parametrize("text", ["", "resource", "resource=", "=cpu", "Resource=cpu", "image-part=x", "\x1b[2J=x"])
def test_what_is_no_detail_is_refused_with_the_keys_there_are(text: str) -> None:
    keys = "resource, taint, label, quota, claim, image_part, probe, limit, rank or device"
    with pytest.raises(BadQuestion, match=f"write KEY=VALUE, where KEY is {keys}$"):
        read_details([text])


def test_details_may_have_any_value() -> None:
    assert read_details(["taint=a=b:NoSchedule", "resource= ", "resource= "]) == (
        Detail(key=DetailKey.RESOURCE, value=" "),
        Detail(key=DetailKey.TAINT, value="a=b:NoSchedule"),
    )


def test_one_failure_has_no_two_values_of_a_key() -> None:
    with pytest.raises(BadQuestion, match="resource: a failure has one value of it, not both 'cpu' and 'memory'"):
        read_details(["resource=memory", "resource=cpu"])


def test_a_value_that_is_longer_than_any_that_is_stored_is_refused(sqlite: Store) -> None:
    longest, longer = (
        FailureFilter(detail=(Detail(key=DetailKey.CLAIM, value="x" * length),))
        for length in (LONGEST_VALUE, LONGEST_VALUE + 1)
    )
    assert StoredRecords(sqlite).failures(longest).records == ()
    with pytest.raises(BadQuestion, match="claim: stored values have at most 256 characters, not 257"):
        StoredRecords(sqlite).failures(longer)


@pytest.mark.parametrize(
    "text", ["", "v1", "0123456789abcdef", "v1:", "v1:0123456789ABCDEF", "v1:0123456789abcdef0", "v1:x\n"]
)
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(BadQuestion, match=r"not a fingerprint: .* write it as in v1:9f86d081884c7d65"):
        read_fingerprint(text)


@pytest.mark.parametrize("text", ["v1:0123456789abcdef", "v12:0123456789abcdef"])
def test_fingerprints_of_any_version_can_be_asked(text: str) -> None:
    assert read_fingerprint(text) == text


@pytest.mark.parametrize(
    "wanted",
    [JobFilter(queue="a\x00"), JobFilter(namespace="\udcff"), JobFilter(exit_code=2**31), JobFilter(exit_code=-1)],
)
def test_what_no_database_holds_is_refused(store: Store, wanted: JobFilter) -> None:
    with pytest.raises(BadQuestion):
        StoredRecords(store).jobs(wanted)


def test_a_number_that_no_database_holds_is_refused_by_the_name_of_its_filter(store: Store) -> None:
    with pytest.raises(BadQuestion, match=r"^exit_code: there is no exit code 2147483648$"):
        StoredRecords(store).jobs(JobFilter(exit_code=2**31))


@pytest.mark.parametrize("value", ["a\x00", "\udcff"])
def test_a_detail_that_no_database_holds_is_refused(store: Store, value: str) -> None:
    for key in (DetailKey.RESOURCE, DetailKey.TAINT):
        others = (Detail(key=DetailKey.LABEL, value="x"), Detail(key=key, value=value))
        with pytest.raises(BadQuestion, match=f"{key}: no stored text has such characters"):
            StoredRecords(store).failures(FailureFilter(detail=others))
