"""Why submitted jobs wait, as the scheduling pass would say now."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from agent.core.lifecycle.wait_text import Surroundings, in_words
from agent.core.lifecycle.waits import why_it_waits
from agent.scheduler.schedule.placement import choose, why_none
from agent.scheduler.schedule.rooms import Rooms
from agent.scheduler.schedule.terms import PassTerms
from agent.store.submitted import surroundings
from agent.store.submitted.held import Held, Submission


class Waiting:
    """``terms`` gives what the pass goes by."""

    def __init__(self, terms: Callable[[], PassTerms]) -> None:
        self._terms = terms

    @property
    def retries_stopped(self) -> bool:
        return self._terms().retries_stopped

    def surroundings(
        self, connection: Connection, found: Collection[Held], *, now: datetime
    ) -> Mapping[str, Surroundings]:
        """What the words about each job need to know, by job id."""
        rooms = Rooms.read(connection, self._terms(), now=now)
        known = surroundings.load(connection, found)
        silent = rooms.silent_since()
        return {held.job.job_id: _in(rooms, known[held.job.job_id], held.submission, silent) for held in found}

    def sentences(self, connection: Connection, found: Collection[Held], *, now: datetime) -> Mapping[str, str]:
        """Why each job waits, by job id; empty for those that do not."""
        about, stopped = self.surroundings(connection, found, now=now), self.retries_stopped
        waits = {
            held.job.job_id: why_it_waits(held.job, now, retries_stopped=stopped, silent=about[held.job.job_id].silent)
            for held in found
        }
        return {
            job_id: "" if wait is None else in_words(wait, about[job_id], now=now) for job_id, wait in waits.items()
        }


def _in(rooms: Rooms, about: Surroundings, submission: Submission, silent: Mapping[str, datetime]) -> Surroundings:
    wanted = rooms.wanted(submission)
    chosen = choose(wanted, rooms.candidates)
    if chosen is None:
        return replace(about, no_cluster=why_none(wanted, rooms.candidates), silent=silent)
    return replace(
        about, no_cluster=f"cluster {chosen.name} is about to take its run", takes=chosen.name, silent=silent
    )
