"""Each rule looked at, in file order, and why it did or did not match."""

from collections.abc import Sequence

from agent.core.classify.explanation import Consideration, RuleOutcome
from agent.ctl.diagnosis_card import leaf
from agent.ctl.terminal import visible

_MARKS = {RuleOutcome.MATCHED: "yes", RuleOutcome.NOT_MATCHED: "no", RuleOutcome.TIMED_OUT: "late"}


def consideration_lines(considerations: Sequence[Consideration]) -> list[str]:
    """A heading and a line for each rule; nothing where nothing was considered."""
    if not considerations:
        return []
    matched = sum(one.outcome is RuleOutcome.MATCHED for one in considerations)
    return [f"  rules       {len(considerations)} looked at, {matched} matched", *map(_line, considerations)]


def _line(one: Consideration) -> str:
    name = f"{leaf(one.category, one.subcategory)} rule {one.rule_index}"
    return f"    {_MARKS[one.outcome]:<4}  {visible(name):<44}  {one.matcher}: {visible(one.why)}"
