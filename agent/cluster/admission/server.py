"""The webhook's server: bounded requests in, answers of the decider out, in the agent's own event loop.

Whatever a request is, no exception of it leaves this module: one that is no AdmissionReview is refused with 4xx, one
for which there is no time or room has no condition.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final, cast

import structlog
from aiohttp import web

from agent.cluster.admission.certificates import Certificates
from agent.cluster.admission.connection import Connection
from agent.cluster.admission.listener import Listener, listen
from agent.cluster.admission.review import Answer, BadReview, Decider, Review, added, read_review, response
from agent.core.admission.conditions import PodCondition, Withheld
from agent.settings.admission import AdmissionSettings
from agent.telemetry import admission_metrics as metrics
from agent.telemetry.admission_metrics import Refused
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

PATH: Final = "/conditions"
"""Where reviews are sent to; ``deploy/admission.yaml`` has it too."""

MAX_BYTES: Final = (3 << 20) + (128 << 10)
"""The largest request. It has the pod twice, and etcd keeps none above 1.5 MiB."""

MAX_BYTES_IN_HAND: Final = 16 << 20
"""What all requests that are being read may have together. A usual one has 20 KB."""

_JSON: Final = "application/json"
_STATUS: Final = {
    Refused.PATH: HTTPStatus.NOT_FOUND,
    Refused.METHOD: HTTPStatus.METHOD_NOT_ALLOWED,
    Refused.TYPE: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Refused.LENGTH: HTTPStatus.LENGTH_REQUIRED,
    Refused.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refused.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    Refused.REVIEW: HTTPStatus.BAD_REQUEST,
}
_HEADERS: Final = {"Server": "failure-agent"}
"""Without this, aiohttp names itself and Python with their versions."""


class _Refusal(Exception):
    def __init__(self, why: Refused, text: str) -> None:
        super().__init__(text)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Answered:
    """The body of a response, and what it says."""

    body: bytes
    conditions: tuple[PodCondition, ...]
    withheld: Withheld | None


class AdmissionServer:
    """Serves the webhook until cancelled.

    Raises ConfigError where the certificate cannot be used, and OSError where the port cannot be opened. ``clock`` is
    the API server's time, ``reload`` how often the files of the certificate are checked.
    """

    def __init__(
        self, settings: AdmissionSettings, decider: Decider, *, clock: Callable[[], datetime], reload: timedelta
    ) -> None:
        self._deadline = settings.deadline.total_seconds()
        self._decider = decider
        self._clock = clock
        self._in_hand = 0
        self._repetitions = {why: Repetition() for why in Refused}
        self._faults = Repetition()
        self._certificates = Certificates(settings, clock=clock, reload=reload)
        self._listening = listen(settings.host, settings.port)

    @property
    def port(self) -> int:
        return int(self._listening.getsockname()[1])

    def check(self) -> str | None:
        """Why the API server does not accept the certificate, for ``/readyz``."""
        return self._certificates.check()

    def close(self) -> None:
        """Close the port; needed only where ``run`` was never called."""
        self._listening.close()

    async def run(self) -> None:
        """Answer until cancelled."""
        _log.info("the admission webhook is served", port=self.port)
        manager = web.Server(self._handle, handler_cancellation=True)
        listener = Listener(self._listening, context=lambda: self._certificates.context, manager=manager)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(listener.run(), name="admission listener")
            tasks.create_task(self._certificates.run(), name="admission certificates")

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = cast("Connection", request.protocol)
        arrived = connection.begin()
        try:
            body = await self._body(request)
            answered = self._answered(read_review(body), arrived)
        except _Refusal as refusal:
            return self._refuse(request, refusal)
        except BadReview as error:
            return self._refuse(request, _Refusal(Refused.REVIEW, str(error)))
        else:
            _count(answered, seconds=self._since(arrived))
            return web.Response(body=answered.body, content_type=_JSON, headers=_HEADERS)
        finally:
            connection.end()

    async def _body(self, request: web.BaseRequest) -> bytes:
        """Read the body of a request that may be one of ours. Raises _Refusal."""
        length = _length(request)
        with self._holding(length):
            try:
                return await request.content.readexactly(length)
            except (asyncio.IncompleteReadError, web.RequestPayloadError, OSError) as error:
                raise _Refusal(Refused.HTTP, "the body is shorter than its Content-Length") from error

    @contextmanager
    def _holding(self, length: int) -> Iterator[None]:
        if self._in_hand + length > MAX_BYTES_IN_HAND:
            raise _Refusal(Refused.BUSY, "too many large requests at one time")
        self._in_hand += length
        try:
            yield
        finally:
            self._in_hand -= length

    def _answered(self, review: Review, arrived: float) -> _Answered:
        """The response, whatever the decider does."""
        try:
            answer = self._answer(review, arrived)
            conditions = added(review, answer)
            return _Answered(response(review, conditions, self._clock()), conditions, _withheld(answer, conditions))
        except Exception as error:  # noqa: BLE001 - any fault means no condition: a pod must not fail to be written
            if self._faults.is_due(type(error).__name__):
                _log.exception("the conditions of a failing pod could not be decided; it gets none", uid=review.uid)
            return _Answered(response(review, (), self._clock()), (), Withheld.FAULT)

    def _answer(self, review: Review, arrived: float) -> Answer:
        if self._since(arrived) > self._deadline:
            return Withheld.LATE
        answer = self._decider.answer(review)
        given = not isinstance(answer, Withheld)
        return Withheld.LATE if given and self._since(arrived) > self._deadline else answer

    def _since(self, arrived: float) -> float:
        return asyncio.get_running_loop().time() - arrived

    def _refuse(self, request: web.BaseRequest, refusal: _Refusal) -> web.Response:
        metrics.REFUSED.labels(refusal.why).inc()
        if self._repetitions[refusal.why].is_due(refusal.why):
            _log.warning("a request to the webhook was refused", client=request.remote, why=str(refusal))
        status = _STATUS.get(refusal.why, HTTPStatus.BAD_REQUEST)
        refused = web.Response(status=status, text=f"{refusal}\n", headers=_HEADERS)
        refused.force_close()
        return refused


def _length(request: web.BaseRequest) -> int:
    """The length of a body that is worth reading. Raises _Refusal."""
    if request.path != PATH:
        raise _Refusal(Refused.PATH, f"there is only {PATH}")
    if request.method != "POST":
        raise _Refusal(Refused.METHOD, "send an AdmissionReview with POST")
    if request.content_type != _JSON:
        raise _Refusal(Refused.TYPE, f"send {_JSON}")
    if request.content_length is None:
        raise _Refusal(Refused.LENGTH, "send the Content-Length")
    if request.content_length > MAX_BYTES:
        raise _Refusal(Refused.TOO_LARGE, f"more than {MAX_BYTES} bytes")
    return request.content_length


def _withheld(answer: Answer, conditions: tuple[PodCondition, ...]) -> Withheld | None:
    if isinstance(answer, Withheld):
        return answer
    return None if conditions else Withheld.PRESENT


def _count(answered: _Answered, *, seconds: float) -> None:
    metrics.SECONDS.observe(seconds)
    for condition in answered.conditions:
        metrics.CONDITIONS.labels(condition.type).inc()
    if answered.withheld is not None:
        metrics.WITHHELD.labels(answered.withheld).inc()
