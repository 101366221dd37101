"""Fit: whether a failure is surely within the widest limits, by a quick look at its texts.

Nearly every failure is, and then need not be walked through (``bounds``).
"""

from agent.core.evidence import Node
from agent.core.failure import Failure, StackTrace
from agent.core.memo import memo
from agent.core.summary.bounds import MESSAGE_BYTES, POD_ERROR_BYTES, WIDEST, WORD_BYTES
from agent.core.summary.texts import Texts

_SMALL_BYTES = 16 * 1024
_SMALL_TEXTS = 400
"""With at most these texts and bytes, and long fields counted twice, a failure is below 48 KiB; see the tests."""

_FEW_WORDS = 64
"""A container has two words or more, a condition or taint three, a match five, and a hypothesis six; a name is one."""


def surely_fits(failure: Failure, texts: Texts) -> bool:
    """Whether a failure with these texts is small and within the widest limits, as most are."""
    rows_fit = _has_few_rows(failure, texts) or (len(texts) <= _SMALL_TEXTS and _rows_fit(failure))
    node_fits = failure.node is None or _node_fits(failure.node)
    return rows_fit and node_fits and _texts_fit(texts, failure.stack_trace)


def _has_few_rows(failure: Failure, texts: Texts) -> bool:
    """Whether there are so few texts that no list can be too long: each of its items has some of them.

    The lists of the node do not count.
    """
    return (
        len(texts.words) <= _FEW_WORDS
        and len(texts.messages) <= WIDEST.log_lines
        and len(texts.long) <= WIDEST.log_tails
        and not (failure.sanitized or failure.redacted or failure.truncated)
    )


def _texts_fit(texts: Texts, trace: StackTrace | None) -> bool:
    ascii_only = texts.once.isascii()
    size_of = len if ascii_only else _utf8_bytes
    every = texts.length if ascii_only else sum(map(size_of, (*texts.words, *texts.messages, *texts.long)))
    if texts.of_node is not None:
        every += _bytes_of_node(texts.of_node)
    if trace is not None:
        longest = max(size_of(trace.tail), size_of(trace.key_line))
        for candidate in trace.candidates:
            longest = max(longest, size_of(candidate.text))
        if longest > MESSAGE_BYTES:
            return False
        every += (2 + len(trace.candidates)) * longest
    return (
        every <= _SMALL_BYTES
        and max(map(size_of, texts.words)) <= WORD_BYTES
        and (every <= MESSAGE_BYTES or max(map(size_of, texts.messages), default=0) <= MESSAGE_BYTES)
        and (every <= POD_ERROR_BYTES or max(map(size_of, texts.long), default=0) <= POD_ERROR_BYTES)
    )


def _count_bytes(texts: Texts) -> int:
    """The bytes of a node's texts; too many if one of them is too long."""
    words, messages = [*map(_utf8_bytes, texts.words)], [*map(_utf8_bytes, texts.messages)]
    fit = max(words) <= WORD_BYTES and max(messages, default=0) <= MESSAGE_BYTES
    return sum(words) + sum(messages) if fit else _SMALL_BYTES + 1


_bytes_of_node = memo(_count_bytes)


def _utf8_bytes(text: str) -> int:
    return len(text.encode())


def _rows_fit(failure: Failure) -> bool:
    """Whether no list but those of the node is longer than the widest limits allow; at most ten events are kept."""
    pod, given, limits = failure.pod, failure.classification, WIDEST
    return (
        len(pod.containers) <= limits.containers
        and len(pod.conditions) <= limits.conditions
        and len(failure.log_tails) <= limits.log_tails
        and len(given.matches) <= limits.matches
        and len(given.hypotheses) <= limits.hypotheses
        and max(len(given.categories), len(given.timed_out), len(failure.missing)) <= limits.names
        and max(len(failure.sanitized), len(failure.redacted), len(failure.truncated)) <= limits.marks
    )


def _node_fits(node: Node) -> bool:
    return (
        len(node.conditions) <= WIDEST.conditions
        and len(node.taints) <= WIDEST.taints
        and len(node.log_lines) <= WIDEST.log_lines
    )
