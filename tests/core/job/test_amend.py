"""Jobs whose spec changes while they run."""

from dataclasses import replace
from datetime import UTC, datetime

from agent.core.job.advance import advance
from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.outcome import PodEnding, apply_outcome, begin, grid
from agent.core.job.play import Play
from agent.core.job.reading import read_spec
from agent.core.job.validation_update import amend

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def begun(completions: int, **fields: object) -> Play:
    written = {"completionMode": "Indexed", "completions": completions, "parallelism": completions, **fields}
    spec = defaulted(read_spec({**written, "template": {"spec": {"restartPolicy": "Never"}}}))
    play = Play(counters=open_job(spec), name="j", now=NOW)
    begin(play)
    return play


def scaled(play: Play, size: int) -> None:
    play.counters = amend(play.counters, replace(play.counters.spec, completions=size, parallelism=size))
    play.see()


def test_an_indexed_job_forgets_what_it_is_scaled_down_from() -> None:
    play = begun(5)
    apply_outcome(play, PodEnding(index=4))
    scaled(play, 3)
    assert (grid(play.counters), play.counters.report().completed_indexes) == ("AAA", "")
    scaled(play, 5)

    assert grid(play.counters) == "AAAAA"
    assert play.counters.status.succeeded == 0


def test_a_status_that_names_indexes_out_of_range_is_written_again() -> None:
    play = begun(5, backoffLimitPerIndex=0)
    apply_outcome(play, PodEnding(index=4, exit_code=1))
    active = [pod for pod in play.living() if pod.index in (0, 1, 2, 3)]
    assert (play.counters.report().failed_indexes, len(active)) == ("4", 4)
    play.counters = amend(play.counters, replace(play.counters.spec, completions=4, parallelism=4))
    first, _ = advance(play.counters, (), now=NOW)
    second, _ = advance(play.counters, (), now=NOW)

    assert play.counters.report().failed_indexes == ""
    assert (first.changed, second.changed) == (True, False)


def test_lowering_parallelism_counts_no_failure() -> None:
    play = begun(4)
    play.counters = amend(play.counters, replace(play.counters.spec, parallelism=1))
    play.see()

    assert (play.counters.status.active, play.counters.status.failed) == (1, 0)


def test_a_lower_limit_applies_at_once() -> None:
    play = begun(4, backoffLimitPerIndex=0, maxFailedIndexes=2)
    apply_outcome(play, PodEnding(index=1, exit_code=1))
    play.counters = amend(play.counters, replace(play.counters.spec, max_failed_indexes=0))
    play.see()
    finished = play.counters.status.finished

    assert finished is not None
    assert finished.reason == "MaxFailedIndexesExceeded"
