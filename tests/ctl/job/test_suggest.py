"""``failctl job policy suggest``: the document on standard output, the reasons on standard error."""

import io
from pathlib import Path

import pytest

from agent.console.exits import Exit, FindingError, UsageError
from agent.core.suggestion.together import Relation
from agent.ctl.job.suggest import SuggestRequest, run

STORIES = Path(__file__).parents[2] / "manifests"
FILES = [str(path.relative_to(STORIES)) for path in sorted(STORIES.glob("job*/stories/*.yaml"))]
CORRECT = [file for file in FILES if "original" not in file]
SERVICE = "---\nkind: Service\nmetadata: {name: workers}\nspec: {clusterIP: None, selector: {job-name: job-longrun}}\n"


def printed(text: str, tmp_path: Path, said: Relation | None = None) -> tuple[str, list[str]]:
    file, out, err = tmp_path / "job.yaml", io.StringIO(), io.StringIO()
    file.write_text(text)
    assert run(SuggestRequest(file=file, said=said), out=out, err=err) is Exit.FINE
    return out.getvalue(), err.getvalue().splitlines()


def story(name: str) -> str:
    return (STORIES / name).read_text()


def test_a_job_gets_the_rules_and_each_is_explained(tmp_path: Path) -> None:
    out, err = printed(story("job/stories/job-longrun.yaml"), tmp_path)

    assert "- type: failure-agent.dev/Infrastructure" in out
    assert err[0].startswith("Job job-longrun: each pod works alone: ")
    assert err[0].endswith("(if not so: --together)")
    shown = [line.split(":")[0].strip() for line in err if "podFailurePolicy.rules[" in line]
    assert shown == [f"spec.podFailurePolicy.rules[{place}]" for place in range(3)]
    assert err[-1] == (
        "note: Kubernetes does not let these fields change: delete the Job if it exists, and create it again"
    )


def test_a_service_in_the_file_says_that_pods_need_one_another(tmp_path: Path) -> None:
    out, err = printed(story("job/stories/job-longrun.yaml") + SERVICE, tmp_path)

    assert "Ignore" not in out
    assert err[0] == (
        "Job job-longrun: pods need one another: the headless Service workers gives the pods names by which they find "
        "one another (if not so: --independent)"
    )


@pytest.mark.parametrize("said", [None, *Relation])
@pytest.mark.parametrize("file", CORRECT)
def test_its_own_output_is_printed_as_it_is(file: str, said: Relation | None, tmp_path: Path) -> None:
    out, _ = printed(story(file), tmp_path, said)
    again, err = printed(out, tmp_path, said)

    assert again == out
    assert err[1] == "nothing to change"


def test_a_jobset_is_restarted_and_the_missing_limit_is_named(tmp_path: Path) -> None:
    out, err = printed(story("jobset/stories/story-1.yaml"), tmp_path)

    assert out.count("action: RestartJobSetAndIgnoreMaxRestarts") >= 1
    assert "Ignore\n" not in out
    assert [line for line in err if line.startswith("note: RestartJobSetAndIgnoreMaxRestarts has no limit")]


def test_files_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be used"):
        printed("kind: Job", tmp_path)
    rule = "{action: Count, onExitCodes: {operator: In, values: [1]}}"
    policy = f"spec:\n  podFailurePolicy: {{rules: [{', '.join([rule] * 20)}]}}\n"
    full = story("job/stories/job-longrun.yaml").replace("spec:\n", policy, 1)
    with pytest.raises(FindingError, match="Job job-longrun: podFailurePolicy has 20 rules of at most 20"):
        printed(full, tmp_path)
