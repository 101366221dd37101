"""What an agent classifies by: RunEvent.rule_set_loaded <-> RuleSetLoaded."""

from agent.api.v1 import events_pb2 as pb
from agent.core.run_event import LoadedRule, RuleSetLoaded
from agent.wire.envelope import read_required_time
from agent.wire.time import fill_time
from agent.wire.words import ORIGINS


def fill_rule_set(message: pb.RunEvent, loaded: RuleSetLoaded) -> None:
    """Write what was loaded into an empty message."""
    message.event_id = loaded.event_id
    message.cluster_id = loaded.cluster_id
    message.cluster = loaded.cluster
    fill_time(message.occurred_time, loaded.loaded_at)
    fill_time(message.observed_time, loaded.loaded_at)
    written = message.rule_set_loaded
    written.revision = loaded.revision
    written.categories.extend(loaded.categories)
    for rule in loaded.rules:
        _fill_rule(written.rules.add(), rule)
    written.rules_left_out = loaded.rules_left_out


def _fill_rule(message: pb.LoadedRule, rule: LoadedRule) -> None:
    message.name = rule.name
    message.pack = rule.pack
    message.category = rule.category
    message.rule_index = rule.rule_index
    message.subcategory = rule.subcategory
    message.origin = ORIGINS.number[rule.origin]


def read_rule_set(message: pb.RunEvent) -> RuleSetLoaded:
    """What was loaded, as a message has it."""
    written = message.rule_set_loaded
    return RuleSetLoaded(
        event_id=message.event_id,
        cluster_id=message.cluster_id,
        cluster=message.cluster,
        revision=written.revision,
        categories=tuple(written.categories),
        loaded_at=read_required_time(message, "occurred_time"),
        rules=tuple(map(_read_rule, written.rules)),
        rules_left_out=written.rules_left_out,
    )


def _read_rule(message: pb.LoadedRule) -> LoadedRule:
    return LoadedRule(
        name=message.name,
        pack=message.pack,
        category=message.category,
        rule_index=message.rule_index,
        subcategory=message.subcategory,
        origin=ORIGINS.word(message.origin),
    )
