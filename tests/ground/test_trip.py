"""The way of a failing pod gets no longer."""

import json
import sys
from dataclasses import replace

import pytest

from tests.child import output_of
from tests.ground.tree import ROOT
from tests.ground.trip import FIRST, LAST, Call, Trip

FILES = 20  # one for the owners of a pod, whose events may explain its end, and one for the API server's time
HOPS = 44  # a look at the clock, of which there are two, asks how far the API server's is ahead


@pytest.mark.slow
def test_the_way_of_a_failing_pod_gets_no_longer() -> None:
    found = json.loads(output_of([sys.executable, "-m", "tests.ground.trip", "--json"], cwd=ROOT))

    assert found["files"] <= FILES, found
    assert found["hops"] <= HOPS, found
    assert found["all_files"] > found["files"], "the pure rooms are missing"


@pytest.mark.parametrize("missing", [FIRST, LAST])
def test_a_profile_without_its_first_or_last_call_is_none(missing: str) -> None:
    calls = [Call(file, function, caller=file) for file, function in (name.split(" ") for name in (FIRST, LAST))]

    assert Trip(calls=calls).faults() == []
    assert Trip(calls=[each for each in calls if str(each) != missing]).faults() == [
        f"the profile has no call of {missing}"
    ]


def test_only_calls_between_the_bounded_rooms_are_bounded() -> None:
    first = Call("kube/codec.py", "read", caller="kube/reflector/reflector.py")
    calls = [
        first,
        replace(first, caller=first.file),
        replace(first, file="observe/occurrence.py"),
        replace(first, file="core/memo.py", caller="observe/occurrence.py"),
    ]
    assert Trip(calls=calls).figures() == {"files": 1, "hops": 1, "all_files": 3, "all_hops": 3}
