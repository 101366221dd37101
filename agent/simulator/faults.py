"""Faults that a test injects: error answers, cut and silent streams, garbage. Requests are counted here too."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from agent.simulator.kinds import Json, Kind
from agent.simulator.status import StatusError, bad_request, denied, forbidden

KINDS: Final = frozenset(
    {"status", "overload", "quota", "webhook", "lost", "error-event", "end", "cut", "hang", "garbage", "twice"}
)
_REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(slots=True, kw_only=True)
class InjectedFault:
    """What to do to requests of a verb (``list``, ``watch``, ``get``, ``patch``, ... or ``""`` for any) on a kind.

    ``status``: answered with ``code`` and ``retry_after``. ``overload``: answered in plain text with 429, as by the
    server's priority and fairness. ``lost``: done, but the connection breaks before the answer. For creations only:
    ``quota``: the quota is exceeded that ``text`` describes; ``webhook``: the admission webhook of this name denies
    it, and ``text`` is its reason. For watches only: ``error-event``: an ERROR event with ``code``; ``end``: ends at
    once; ``cut``: the connection breaks in the middle of an event; ``hang``: not a byte; ``garbage``: ``text`` comes
    as a line, then all goes on; ``twice``: every event comes twice.
    ``times``: how often it still applies, ``None`` is no limit.
    """

    kind: str
    verb: str = ""
    resource: str = ""
    code: int = 500
    webhook: str = ""
    retry_after: int | None = None
    text: str = ""
    times: int | None = None

    def refusal(self) -> StatusError:
        message = self.text or f"the simulator was asked to answer {self.code}"
        return StatusError(self.code, _REASONS.get(self.code, "Unknown"), message, retry_after=self.retry_after)

    def denial(self, kind: Kind, body: Json) -> StatusError | None:
        """How admission refuses this object. ``None``: it does not."""
        match self.kind:
            case "quota":
                quota = self.text or "pods, requested: pods=1, used: pods=10, limited: pods=10"
                return forbidden(kind, (body.get("metadata") or {}).get("name", ""), f"exceeded quota: {quota}")
            case "webhook":
                name, why = self.webhook or "simulator.failure-agent.dev", self.text or "the simulator was asked to"
                return denied(name, why)
            case _:
                return None

    def overload(self) -> web.HTTPTooManyRequests:
        """The plain 429 of API priority and fairness, which rejects a request before it is handled."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return web.HTTPTooManyRequests(text="Too many requests, please try again later.\n", headers=headers)


class Faults:
    """The active faults, oldest first, and how many requests of each kind there were."""

    def __init__(self) -> None:
        self._faults: list[InjectedFault] = []
        self.requests: Counter[str] = Counter()

    def add(self, asked: Json) -> None:
        """Activate a fault. Raises StatusError (400)."""
        try:
            fault = InjectedFault(**asked)
        except TypeError as error:
            raise bad_request(f"no such fault: {error}") from error
        if fault.kind not in KINDS:
            raise bad_request(f"no such fault: {fault.kind!r}; there are {', '.join(sorted(KINDS))}")
        self._faults.append(fault)

    def clear(self) -> None:
        self._faults.clear()

    def take(self, verb: str, resource: str) -> InjectedFault | None:
        """Count a request, and return the fault to apply to it, if any."""
        self.requests[f"{verb} {resource}"] += 1
        fault = next(self._matching(verb, resource), None)
        if fault is not None and fault.times is not None:
            fault.times -= 1
        return fault

    def _matching(self, verb: str, resource: str) -> Iterator[InjectedFault]:
        for fault in self._faults:
            wanted = fault.verb in {"", verb} and fault.resource in {"", resource}
            if wanted and (fault.times is None or fault.times > 0):
                yield fault
