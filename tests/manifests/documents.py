"""Texts to try the readers of documents on: valid ones, mutated ones, and such that only look like YAML."""

import json
from typing import Any

from hypothesis import strategies as st

from agent.core.classify.conditions import CONDITIONS

PATTERNS = st.sampled_from(
    [
        "",
        ".*",
        "CUDA error",
        "(?i)oom",
        "[x",
        "(?=a)",
        r"\C",
        r"a\Z",
        "(?s)a.*b",
        "x{1001}",
        "(",
        "é+",
        r"\bXid\b",
        "a|",
        "^$",
    ]
)
NAMES = st.sampled_from(["oom", "cuda_error", "internal", "none", "", "a" * 64, "\u00e9" * 40, "x/y", "no"])
CODES = st.lists(st.integers(-1, 300) | st.just(3221225477), max_size=4)
ENGINES = st.sampled_from(["re2", "backtracking", "pcre"])


def _pattern(field: str) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({field: PATTERNS}, optional={"engine": ENGINES})


MATCHERS = st.one_of(
    st.fixed_dictionaries({"onConditions": st.lists(st.sampled_from([*CONDITIONS, "OOM", "Foo"]), max_size=3)}),
    st.fixed_dictionaries(
        {"onExitCodes": st.fixed_dictionaries({"operator": st.sampled_from(["In", "NotIn", "in"]), "values": CODES})}
    ),
    *(st.fixed_dictionaries({name: _pattern("pattern")}) for name in ("onTerminationMessage", "onPodError")),
    *(st.fixed_dictionaries({name: _pattern("pattern")}) for name in ("onNodeLog", "onLogTail")),
    st.fixed_dictionaries(
        {
            "onPodEvents": st.fixed_dictionaries(
                {"regexp": PATTERNS, "type": st.sampled_from(["Normal", "Warning", "Info"])},
                optional={"reason": NAMES, "engine": ENGINES},
            )
        }
    ),
    st.fixed_dictionaries(
        {"onNodeConditions": st.sampled_from(["Ready", {"type": "Ready", "status": "False"}, [], ["A", {"type": "B"}]])}
    ),
    st.fixed_dictionaries({"onSignals": st.lists(st.sampled_from(["SIGKILL", 9, 0, "KILL"]), max_size=3)}),
)
RULES = st.builds(
    lambda matcher, rest: {**matcher, **rest},
    MATCHERS | st.fixed_dictionaries({"allOf": st.lists(MATCHERS, max_size=3)}) | st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "containerName": NAMES,
            "subcategory": NAMES,
            "hint": st.text(max_size=10),
            "origin": st.sampled_from(["infra", "user", "nobody"]),
            "retry": st.sampled_from(["never", "elsewhere", "no"]),
            "onExitCode": st.just(1),
        },
    ),
)
CATEGORIES = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES, "rules": st.lists(RULES, max_size=3)},
        optional={"action": st.sampled_from(["Retain", "Delete", "Remove", ""]), "origin": st.just("platform")},
    ),
    max_size=3,
)
FILES = st.one_of(
    CATEGORIES.map(lambda categories: {"errorCategories": categories}),
    CATEGORIES.map(lambda categories: {"errorCategories": {"defaultCategory": "x", "categories": categories}}),
    CATEGORIES.map(lambda categories: {"application": {"errorCategories": {"categories": categories}}}),
    st.lists(RULES, max_size=3).map(
        lambda rules: {
            "apiVersion": "armadaproject.io/v1",
            "kind": "RetryPolicy",
            "metadata": {"name": "p"},
            "spec": {"rules": [{"action": "Retry", **rule} for rule in rules]},
        }
    ),
)
"""Documents of both kinds with what is right and what is wrong with them in each field."""

_BITS = st.sampled_from(
    [
        "errorCategories",
        ":",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\t",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a",
        "*a",
        "<<: *a",
        "!!str ",
        "!x ",
        "|\n",
        ">-\n",
        "'",
        '"',
        "\\x00",
        "\\ud800",
        "#",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "? ",
        "0777",
        "1e999",
        "~",
        "no",
        "12:30:45",
        "\x00",
        "\x1b[31m",
        "\u2028",
        "\x85",
        "\ufeff",
        "\U0001f600",
        "kind: RetryPolicy\n",
        "rules:",
        "name: a",
        "onExitCodes",
        "application:",
        "\r\n",
        "=",
        "@",
        "`",
        "null",
    ]
)
LOOKALIKES = st.lists(_BITS | st.text(max_size=3), max_size=30).map("".join)
"""Texts made of what YAML is made of."""


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Draw a document with a piece of it cut out, doubled or replaced."""
    text = json.dumps(draw(FILES), ensure_ascii=False, indent=draw(st.sampled_from([None, 1])))
    start = draw(st.integers(0, len(text)))
    end = min(len(text), start + draw(st.integers(0, 12)))
    piece = draw(_BITS | st.just(text[start:end] * 2) | st.just(""))
    return text[:start] + piece + text[end:]


BYTES = st.one_of(st.binary(max_size=60), LOOKALIKES.map(lambda text: text.encode("utf-16", "surrogatepass")))
"""What a file may hold that is no text."""

TEXTS: st.SearchStrategy[str | bytes] = st.one_of(LOOKALIKES, mutated(), FILES.map(json.dumps), st.text(), BYTES)
"""Any text or bytes at all."""
