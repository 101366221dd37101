"""The parts that take and handle the commands of the scheduler."""

from collections.abc import Callable
from typing import Final

from agent.broker.topics import commands_topic
from agent.cluster.runs.answers import Answers
from agent.cluster.runs.consumer import CommandConsumer, Source
from agent.cluster.runs.creation import Creation, PodApi
from agent.cluster.runs.gates import GateProbe
from agent.cluster.runs.handler import CommandHandler
from agent.cluster.runs.in_hand import CommandsInHand
from agent.cluster.runs.lists import RunLists
from agent.cluster.runs.manifest import Allowed
from agent.cluster.runs.run_pods import RunPods
from agent.cluster.wiring.pipeline import Context, Pipeline, envelope_of
from agent.core.heartbeat import RunOffer
from agent.core.summary.bounds import cut
from agent.kube.gated_pods import GatedPods
from agent.observe.text import strip
from agent.settings.cluster import Release

_LONGEST: Final = 4096
"""Bytes of an API server's message that are kept."""


def make_lists(context: Context, pipeline: Pipeline, *, term: Callable[[], int | None]) -> RunLists:
    settings = context.settings
    pods = RunPods(context.connection, pipeline.pods, namespaces=settings.run.namespaces, clock=context.clock)
    # With release: spooled a pod may be gone while another process has yet to publish what it spooled of it.
    ordered = settings.release is Release.PUBLISHED or settings.lease is None
    return RunLists(pods.pages, envelope_of(context), pipeline.writer, term=term, ordered=ordered)


def make_commands(
    context: Context, pipeline: Pipeline, lists: RunLists, *, leads: Callable[[], bool], sees: Callable[[], bool]
) -> CommandConsumer | None:
    """``None`` if the settings say that this cluster takes no runs."""
    run = context.settings.run
    if run.max_runs is None:
        return None
    handler = _handler(context, pipeline, lists)
    return CommandConsumer(
        Source(broker=context.broker, topic=commands_topic(context.settings.cluster), consumer=context.incarnation),
        CommandsInHand(handler.handle, leads=leads),
        GateProbe(GatedPods(context.connection), run.namespaces),
        may=lambda: leads() and sees(),
        offer=RunOffer(namespaces=run.namespaces, max_runs=run.max_runs),
    )


def _handler(context: Context, pipeline: Pipeline, lists: RunLists) -> CommandHandler:
    run, api = context.settings.run, PodApi.of(context.connection)

    def clean(text: str) -> str:
        return cut(pipeline.diagnoser.diagnosis.redactor.redact(strip(text)), _LONGEST)

    answers = Answers(envelope_of(context), pipeline.writer, clean=clean)
    allowed = Allowed(namespaces=frozenset(run.namespaces), service_accounts=frozenset(run.service_accounts))
    return CommandHandler(
        Creation(answers, api, registry=pipeline.pods, allowed=allowed),
        lists,
        answers,
        api,
        registry=pipeline.pods,
        namespaces=frozenset(run.namespaces),
    )
