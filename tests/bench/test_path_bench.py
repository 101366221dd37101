"""The benchmark of the path: its targets can be missed, and another revision takes turns with ours."""

from pathlib import Path

import pytest

from bench import path
from bench.path import TARGET, against, main, quick_verdicts, verdicts
from bench.peer.revision import KEPT, NoRevision, Revision

LEAST = {"ratio": TARGET, KEPT: 1.0}


@pytest.mark.parametrize("figure", LEAST)
def test_each_target_can_be_missed(figure: str) -> None:
    held = [*verdicts(LEAST | {figure: 0.9 * LEAST[figure]}), *quick_verdicts(LEAST | {figure: 0.9 * LEAST[figure]})]

    assert [found.share >= 1 for found in held] == [figure != "ratio", figure != KEPT]


@pytest.mark.slow
def test_another_revision_takes_turns_with_ours() -> None:
    assert 0.2 < against("HEAD", rounds=2, number=20) < 5


def test_a_revision_without_a_path_is_no_peer(tmp_path: Path) -> None:
    with (
        pytest.raises(NoRevision, match=r"^v0 has no path to measure"),
        path._runner(Revision(name="v0", tree=tmp_path), 1),
    ):
        pass


@pytest.mark.slow
def test_a_revision_that_git_does_not_know_is_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--against", "no-such-revision"]) == 1

    assert "git fetch --unshallow" in capsys.readouterr().out
