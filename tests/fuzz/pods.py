"""Pods, events and nodes as bytes: mostly plausible, often with an odd type or hostile text where none belongs."""

import json
from typing import Any

from hypothesis import strategies as st

TIMES = st.sampled_from(
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]
)
TEXTS = st.sampled_from(
    [
        "",
        "Error",
        "OOMKilled",
        "Completed",
        "ImagePullBackOff",
        "InvalidImageName",
        "CrashLoopBackOff",
        "Evicted",
        "main",
    ]
) | st.lists(
    st.sampled_from(
        [
            "\x00",
            "\x1b[2J",
            "\ud800",
            "\x9b",
            "password=hunter2 ",
            "CUDA out of memory\n",
            "x" * 3000,
            "é☃🦀",
            "a\n" * 20,
        ]
    )
    | st.text(max_size=6),
    max_size=4,
).map("".join)
NUMBERS = st.sampled_from([0, 1, 2, 137, 143, 255, -1, 3221225477, 10**18, 10**40]) | st.integers()
ODD: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.floats() | NUMBERS | TEXTS | st.just([]) | st.just({}) | st.just([None])
)


def mostly(expected: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """As expected, seldom nothing, very seldom anything: a pod has many fields, and one odd one makes it odd."""
    return st.integers(0, 399).flatmap(lambda dice: ODD if dice == 399 else st.none() if dice > 380 else expected)


def maps(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of these fields."""
    return st.fixed_dictionaries({name: mostly(each) for name, each in fields.items()})


TERMINATED = maps(
    exitCode=NUMBERS, signal=NUMBERS, reason=TEXTS, message=TEXTS, startedAt=TIMES, finishedAt=TIMES, containerID=TEXTS
)
STATES: st.SearchStrategy[dict[str, Any]] = (
    maps(waiting=maps(reason=TEXTS, message=TEXTS))
    | maps(running=maps(startedAt=TIMES))
    | maps(terminated=TERMINATED)
    | st.just({})
)
STATUSES = st.lists(
    mostly(maps(name=TEXTS, state=STATES, lastState=STATES, restartCount=NUMBERS, ready=st.booleans(), image=TEXTS)),
    max_size=3,
)
CONDITIONS = st.lists(
    maps(type=TEXTS, status=TEXTS, reason=TEXTS, message=TEXTS, lastTransitionTime=TIMES, lastHeartbeatTime=TIMES),
    max_size=3,
)
LABELS = st.dictionaries(
    st.sampled_from(
        [
            "armada_job_id",
            "armada_job_run_id",
            "armada_job_run_index",
            "armada_jobset_id",
            "failure-agent.dev/containers",
        ]
    ),
    mostly(TEXTS),
)
METADATA = maps(
    name=TEXTS,
    namespace=TEXTS,
    uid=TEXTS,
    resourceVersion=TEXTS,
    deletionTimestamp=TIMES,
    labels=LABELS,
    annotations=LABELS,
    ownerReferences=st.lists(maps(uid=TEXTS, controller=st.booleans()), max_size=2),
)
SPECS = st.lists(mostly(maps(name=TEXTS, image=TEXTS, restartPolicy=st.sampled_from(["Always", ""]))), max_size=3)
PODS = maps(
    metadata=METADATA,
    spec=maps(
        nodeName=TEXTS,
        activeDeadlineSeconds=NUMBERS,
        terminationGracePeriodSeconds=NUMBERS,
        containers=SPECS,
        initContainers=SPECS,
    ),
    status=maps(
        phase=st.sampled_from(["Pending", "Running", "Failed", "Succeeded", "Unknown"]),
        reason=TEXTS,
        message=TEXTS,
        qosClass=TEXTS,
        startTime=TIMES,
        conditions=CONDITIONS,
        containerStatuses=STATUSES,
        initContainerStatuses=STATUSES,
        ephemeralContainerStatuses=STATUSES,
    ),
)
EVENTS = maps(
    type=st.sampled_from(["Normal", "Warning"]),
    reason=TEXTS,
    message=TEXTS,
    count=NUMBERS,
    firstTimestamp=TIMES,
    lastTimestamp=TIMES,
    eventTime=TIMES,
    series=maps(count=NUMBERS, lastObservedTime=TIMES),
    source=maps(component=TEXTS),
)
NODES = maps(
    metadata=METADATA,
    spec=maps(unschedulable=st.booleans(), taints=st.lists(maps(key=TEXTS, value=TEXTS, timeAdded=TIMES), max_size=2)),
    status=maps(conditions=CONDITIONS),
)


def encoded(given: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    """As JSON; surrogates stay escapes, and now and then the bytes are spoilt."""
    spoilt = st.builds(
        lambda each, byte: json.dumps(each, ensure_ascii=False).encode(errors="replace").replace(b"r", byte),
        given,
        st.sampled_from([b"r", b"\xff", b"\x00", b'"', b"\xed\xa0\x80"]),
    )
    return st.integers(0, 9).flatmap(lambda dice: spoilt if dice == 9 else given.map(_json))


def _json(given: object) -> bytes:
    return json.dumps(given).encode()
