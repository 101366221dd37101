"""Why rules did or did not match, line by line: the most relevant ones, or all."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from agent.console.paragraphs import paragraph
from agent.console.terminal import fit, visible
from agent.core.classify.explanation import Consideration, RelevantRules, RuleOutcome, relevant_rules
from agent.core.failure_text.category import leaf

Explain = Literal["near", "all"]

_MATCHED: Final = 3
_NEAREST: Final = 4
_MARKS: Final = {
    RuleOutcome.MATCHED: "yes",
    RuleOutcome.REFUSED: "out",
    RuleOutcome.NOT_MATCHED: "no",
    RuleOutcome.TIMED_OUT: "late",
}
_INDENT: Final = 8


def chosen(considerations: Sequence[Consideration]) -> RelevantRules:
    """The few most relevant rules."""
    return relevant_rules(considerations, matched=_MATCHED, nearest=_NEAREST)


def reasoning_lines(
    considerations: Sequence[Consideration], *, explain: Explain | None, columns: int | None
) -> Iterator[str]:
    """A heading, and a line or two for each rule; nothing if nothing was requested or considered.

    On a terminal the text about each of the few rules is limited to two lines.
    """
    if explain is None or not considerations:
        return
    matched = sum(consideration.outcome is RuleOutcome.MATCHED for consideration in considerations)
    refused = sum(consideration.outcome is RuleOutcome.REFUSED for consideration in considerations)
    looked_at = f"Rules   {len(considerations)} evaluated, {matched} matched"
    looked_at += f", {refused} ruled out" if refused else ""
    if explain == "all":
        yield looked_at
        for consideration in considerations:
            yield from paragraph(
                f"  {_MARKS[consideration.outcome]}", _text(consideration), indent=_INDENT, columns=columns
            )
        return
    yield f"{looked_at}; --explain=all shows each"
    for mark, text in _few(chosen(considerations)):
        short = text if columns is None else fit(text, 2 * (columns - _INDENT) - 1)
        yield from paragraph(f"  {mark}", short, indent=_INDENT, columns=columns)


def _few(selected: RelevantRules) -> Iterator[tuple[str, str]]:
    yield from (("yes", _text(consideration)) for consideration in selected.matched)
    if selected.left_out:
        yield "", f"and {selected.left_out} more that matched"
    yield from (("out", _text(consideration)) for consideration in selected.refused)
    yield from (
        ("late" if consideration.outcome is RuleOutcome.TIMED_OUT else "near", _text(consideration))
        for consideration in selected.nearest
    )


def _text(consideration: Consideration) -> str:
    pack = f" of {consideration.pack}" if consideration.pack else ""
    rule = f"{leaf(consideration.category, consideration.subcategory)} rule {consideration.rule_index}{pack}"
    return visible(f"{rule}: {consideration.matcher}: {consideration.why}")
