"""Fuzzing of the rule files that people write: no crash, no hang, no escape sequence reaches a terminal.

``FUZZ_SECONDS`` says for how long a run looks; the long run takes 100,000 inputs.
"""

import faulthandler
import os
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.manifests.documents import TEXTS
from tests.manifests.holds import holds

SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
INPUTS = 100_000
HANG_SECONDS = 1.0
TRIES = 3

_QUICK = settings(
    max_examples=500,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


def look_at(text: str | bytes) -> None:
    """Try one input. It hangs if it takes a processor longer than a second, time and again.

    Once is no proof: collecting the garbage of a hundred thousand inputs takes its second from some input.
    """
    taken = seconds_for(text)
    if taken >= HANG_SECONDS:
        taken = min(seconds_for(text) for _ in range(TRIES))
    assert taken < HANG_SECONDS, f"{taken:.1f} s of processor time for {text!r}"


def seconds_for(text: str | bytes) -> float:
    started = time.process_time()
    holds(text)
    return time.process_time() - started


@given(text=TEXTS)
@_QUICK
def look_at_some(text: str | bytes) -> None:
    look_at(text)


@given(text=TEXTS)
@settings(_QUICK, max_examples=INPUTS)
def look_at_many(text: str | bytes) -> None:
    look_at(text)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)  # it runs for as long as it is asked to
def test_rule_files_for_a_time() -> None:
    faulthandler.dump_traceback_later(SECONDS + 60)
    until = time.monotonic() + SECONDS
    rounds = 0
    while time.monotonic() < until or not rounds:
        look_at_some()
        rounds += 1
    faulthandler.cancel_dump_traceback_later()


@pytest.mark.long
@pytest.mark.timeout(3600)  # a hundred thousand inputs
def test_rule_files_by_number() -> None:
    look_at_many()
