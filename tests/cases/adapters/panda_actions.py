"""PanDA's cases of what its actions work out: attempts, memory, input, CPU time."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agent.core.error_table.cpu_time import FileEvents, Site, TaskTime, TimedJob, new_cpu_time
from agent.core.error_table.files import Attempts, TaskFile, allow_failure, limit_attempts, stop_attempts
from agent.core.error_table.memory import Grown, JobMemory, TaskMemory, increase
from agent.core.error_table.memory_factor import increase_xtimes
from agent.core.error_table.reduce_input import JobInput, reduce_input
from agent.core.error_table.row import ReadingMode

Words = Mapping[str, Any]
JOB = 1001
USED_BEFORE = 10
"""How many files of each dataset PanDA's sandbox counts as used."""


def tell_limit(given: Words, mode: ReadingMode) -> Words:
    """``setMaxAttempt``."""
    del mode
    after = limit_attempts(_files(given), job=JOB, limit=given["args"]["maxAttempt"])
    return {
        "returned": True,
        "files": [{**_key(one), "maxAttempt": one.attempts.max_attempt} for one in _sorted(after)],
    }


def tell_stop(given: Words, mode: ReadingMode) -> Words:
    """``setNoRetry``."""
    del mode
    stopped = stop_attempts(_files(given))
    files = [
        {**_key(one), "maxAttempt": one.attempts.max_attempt, "attemptNr": one.attempts.attempt}
        for one in _sorted(stopped.files)
    ]
    datasets = sorted({one.dataset for one in stopped.files})
    counted = [
        {
            "datasetID": one,
            "nFilesUsed": USED_BEFORE + stopped.failed.get(one, 0),
            "nFilesFailed": stopped.failed.get(one, 0),
        }
        for one in datasets
    ]
    return {"returned": True, "files": files, "datasets": counted}


def tell_credit(given: Words, mode: ReadingMode) -> Words:
    """``increase_max_failure``."""
    del mode
    after = allow_failure(_files(given), job=JOB)
    return {
        "returned": True,
        "files": [{**_key(one), "maxFailure": one.attempts.max_failure} for one in _sorted(after)],
    }


def tell_decision(given: Words, mode: ReadingMode) -> Words:
    del mode
    after = attempts(given["file_before_failure"]).after(given["job_status"])
    return {"attemptNr": after.attempt, "failedAttempt": after.failed, "retry": after.may_retry}


def tell_memory(given: Words, mode: ReadingMode) -> Words:
    """``increaseRamLimitJobJEDI``."""
    del mode
    return _grown(increase(task_memory(given["task"]), job_memory(given), _others(given)), given)


def tell_memory_factor(given: Words, mode: ReadingMode) -> Words:
    """``increaseRamLimitJobJEDI_xtimes``."""
    task = task_memory(given["task"])
    return _grown(increase_xtimes(task, job_memory(given), _others(given), mode=mode), given)


def tell_input(given: Words, mode: ReadingMode) -> Words:
    """``reduce_input_per_job``."""
    del mode
    job = JobInput(
        attempt=given["job_attemptNr"],
        files=given["job_input_files"],
        gigabytes=given["job_input_GiB"],
        has_task=given["jediTaskID"] not in (None, 0),
    )
    said = reduce_input(given["splitRule"], job, steps=given["steps"], excluded_rules=given["excluded_rules"])
    told: dict[str, Any] = {"applied": None if said.failure else said.applied, "splitRule": said.split_rule}
    return {**told, "internal_exception": _InWords(said.failure)}


def tell_cpu_time(given: Words, mode: ReadingMode) -> Words:
    """``set_cpu_time_from_failed_job``."""
    site, task, job = given["site"], given["task"], given["job"]
    try:
        said = new_cpu_time(
            None if task is None else _task_time(task, finished=given["task_has_finished_jobs"]),
            TimedJob(
                wall_time=job["walltime_s"],
                cores=job["corecount"],
                files=tuple(
                    FileEvents(count=one["nevents"], start=one["startevent"], end=one["endevent"])
                    for one in given["files"] or ()
                ),
            ),
            None
            if site is None
            else Site(max_time=site["maxtime"], core_power=site["corepower"], cores=site["corecount"]),
            mode=mode,
        )
    except TypeError:
        return {"new_cputime": None, "new_cputime_unit": None, "written": False, "raised": "TypeError"}
    if said is None:
        return {"new_cputime": None, "new_cputime_unit": None, "written": False}
    return {"new_cputime": said.value, "new_cputime_unit": said.unit, "written": given["active"]}


def attempts(words: Words) -> Attempts:
    """The counters of a file."""
    return Attempts(
        attempt=words["attemptNr"] or 0,
        max_attempt=words["maxAttempt"],
        failed=words["failedAttempt"] or 0,
        max_failure=words["maxFailure"],
    )


def task_memory(words: Words) -> TaskMemory:
    """What a task asks for."""
    return TaskMemory(
        ram=words["ramCount"], unit=words["ramUnit"], base=words["baseRamCount"], split_rule=words.get("splitRule")
    )


def job_memory(given: Words) -> JobMemory:
    job = given["job"]
    return JobMemory(
        ram=job.get("minRamCount", 1800),
        unit=job.get("minRamUnit", "MB"),
        cores=job.get("coreCount", 1),
        files=tuple(one["ramCount"] for one in given["job_files"]),
        has_task=job.get("jediTaskID", 77) not in (None, 0),
    )


class _InWords:
    """Equal to any words of an exception where ours could not work it out either."""

    def __init__(self, failure: str) -> None:
        self.failure = failure

    def __eq__(self, other: object) -> bool:
        return bool(self.failure) == bool(other)

    def __hash__(self) -> int:
        return hash(bool(self.failure))

    def __repr__(self) -> str:
        return repr(self.failure)


def _grown(said: Grown, given: Words) -> Words:
    keys = [{"datasetID": one["datasetID"], "fileID": one["fileID"]} for one in given["job_files"]]
    return {
        "task_ramCount": said.task,
        "resource_type_reset": said.resets_resource_type,
        "ok": not said.failure,
        "internal_exception": _InWords(said.failure),
        "job_files": [{**key, "ramCount": size} for key, size in zip(keys, said.files, strict=True)],
    }


def _others(given: Words) -> Mapping[int | None, int]:
    counts: Counter[int | None] = Counter()
    for one in given["other_task_files"]:
        counts[one["ramCount"]] += one["count"]
    return counts


def _task_time(task: Words, *, finished: bool) -> TaskTime:
    return TaskTime(
        cpu_time=task["cputime"],
        unit=task["cputimeunit"],
        base_wall_time=task["basewalltime"],
        efficiency=task["cpuefficiency"],
        has_finished_jobs=finished,
    )


def _files(given: Words) -> list[TaskFile]:
    return [
        TaskFile(
            dataset=one["datasetID"],
            file=one["fileID"],
            owner=one["pandaID"],
            attempts=attempts(one),
            status=one["status"],
            tracked=one["keepTrack"] == 1,
            type=one.get("type", "input"),
            name=one.get("lfn", ""),
        )
        for one in given["files"]
    ]


def _sorted(files: tuple[TaskFile, ...]) -> list[TaskFile]:
    return sorted(files, key=lambda one: (one.dataset, one.file))


def _key(one: TaskFile) -> dict[str, Any]:
    return {"datasetID": one.dataset, "fileID": one.file}
