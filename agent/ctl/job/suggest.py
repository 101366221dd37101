"""``failctl job policy suggest``: a Job or JobSet with the rules by which it acts on our pod conditions."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from agent.console.exits import Exit, FindingError, UsageError
from agent.console.inputs import read_text
from agent.console.terminal import palette, visible
from agent.core.suggestion.job import JobSuggestion, suggest_job
from agent.core.suggestion.jobset import suggest_jobset
from agent.core.suggestion.rules import TooManyRulesError
from agent.core.suggestion.together import Relation
from agent.ctl.files import loaded
from agent.documents.node import write_path
from agent.manifests.job.load import KIND as JOB
from agent.manifests.suggestion.rewrite import NotRewritableError, rewritten
from agent.manifests.suggestion.workloads import Workload, Workloads, read_workloads

IMMUTABLE: Final = "Kubernetes does not let these fields change: delete the {kind} if it exists, and create it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestRequest:
    """The request. ``said``: how the pods depend on one another, where the user says it."""

    file: Path
    said: Relation | None = None


def run(request: SuggestRequest, *, out: TextIO, err: TextIO) -> Exit:
    """Print the documents with the suggested rules, and on standard error the reasons.

    Raises UsageError for a file that cannot be used, FindingError if a policy has no room.
    """
    name, text = read_text(request.file)
    content = loaded(text, name, read_workloads)
    suggested = [(workload, _suggested(workload, content, request)) for workload in content.workloads]
    changes = {workload.number: suggestion.suggestion.changes for workload, suggestion in suggested}
    try:
        result = rewritten(text, content.documents, changes)
    except NotRewritableError as error:
        raise UsageError(f"{name}: {error}") from error
    out.write(result)
    out.flush()  # whoever closed the output wants no reasons either
    colours = palette(err)
    for workload, suggestion in suggested:
        for line in _explained(workload, suggestion):
            mark = colours.warning if line.startswith("warning: ") else str
            err.write(f"{mark(visible(line))}\n")
    return Exit.FINE


def _suggested(workload: Workload, content: Workloads, request: SuggestRequest) -> JobSuggestion:
    try:
        if workload.kind == JOB:
            return suggest_job(workload.content, said=request.said, services=content.services)
        return suggest_jobset(workload.content, said=request.said)
    except TooManyRulesError as error:
        raise FindingError(f"{visible(workload.name)}: {error}") from error


def _explained(workload: Workload, suggestion: JobSuggestion) -> Iterator[str]:
    judged, suggested = suggestion.judged, suggestion.suggestion
    relation = "pods need one another" if judged.relation is Relation.TOGETHER else "each pod works alone"
    other = "--independent" if judged.relation is Relation.TOGETHER else "--together"
    yield f"{workload.name}: {relation}: {judged.because} (if not so: {other})"
    if not suggested.changes:
        yield "nothing to change"
    yield from (f"  {write_path(change.at)}: {change.why}" for change in suggested.changes if change.why)
    yield from (f"warning: {warning}" for warning in suggested.warnings)
    yield from (f"note: {note}" for note in suggested.notes)
    if suggested.changes:
        yield f"note: {IMMUTABLE.format(kind=workload.kind)}"
