"""``ErrorDiag`` held against Python's ``re``: found at the start of a message, its dot matching line ends."""

import re
import time
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.core.error_table.diag import Answer, compile_diag
from agent.patterns import BacktrackingSearches, Limits

SEARCHES = BacktrackingSearches(clock=time.monotonic, limits=Limits(search_seconds=10.0, share=1.0))

PIECES = (
    *("a", "b", "B", "é", "É", "s", "ß", "_", "0", "٣", " ", "\\\n", "#", ":", "-", "/", "&&"),
    *(".", "^", "$", "$", "|", "(", ")", "(?:", "(?P<n>", "(?<n>", "(?=", "(?!", "(?<=a)", "(?>", "(?#c)"),
    *("*", "+", "?", "{2}", "{,2}", "{,}", "{1,}", "{", "}", "{s}", "{2,", "*?", "++"),
    *(
        "[",
        "]",
        "[^",
        "[ab]",
        "[[:alpha:]]",
        "[a[:]",
        "[^\\w]",
        "[\\d-]",
        "[\\w-z]",
        "[b-]",
        "[a--]",
        "[-a&&b]",
        "[]-a]",
        "[^a||~~]",
        "[!--]",
        "[--",
        "]",
    ),
    *("\\w", "\\W", "\\d", "\\D", "\\s", "\\S", "\\b", "\\B", "\\A", "\\Z", "\\z", "\\1", "\\n", "\\t", "\\.", "\\\\"),
    *("\\pL", "\\Q", "\\E", "\\C", "\\x61", "\\x{61}", "\\u00e9", "\\101", "\\_", "\\$", "\\[", "\\"),
    *("(?i)", "(?m)", "(?s)", "(?x)", "(?U)", "(?a)", "(?i:", "(?-s:"),
)
PATTERNS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
MESSAGES = st.text("aabBéÉsßS_0٣ \n\n\v\t#:-/[].\\$&\u00a0", max_size=6)
PLAIN = st.text("aabBs_0 \n#:-/[].\\$&", max_size=6).map(lambda text: text.rstrip("\n")).filter(bool)


def python(pattern: str, message: str) -> Answer:
    """What PanDA makes of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = re.match(pattern, message, flags=re.DOTALL)
    except re.error:
        return Answer.BAD
    return Answer.NO if found is None else Answer.YES


@given(pattern=PATTERNS, message=MESSAGES)
@example(pattern=".*No space left on device$", message="No space left on device\n")
@example(pattern="(a$|b)\n", message="a\n")
@example(pattern="(?m)^a$.^b$", message="a\nb\n")
@example(pattern="(?!.*known).*", message="")
@example(pattern=")(", message="boom")
@example(pattern="a)|(b", message="xxb")
@example(pattern="foo(?i)", message="foo")
@example(pattern="a\\z", message="a")
@example(pattern="\\pL", message="p")
@example(pattern="(?<n>a)", message="a")
@example(pattern="[\\w-z]", message="a")
@example(pattern="(?U)a+", message="a")
@example(pattern="[[:alpha:]]+", message="boom")
@example(pattern="[[:alpha:]]+", message=":]")
@example(pattern="\\(?x[[:alpha:]]", message="xa")
@example(pattern="\\w+: disk", message="größe: disk")
@example(pattern=".*\\d", message="٣")
@example(pattern="a\\s", message="a\v")
@example(pattern="(?i)s", message="\u017f")
@example(pattern="(?i)É", message="é")
@example(pattern="(?x) boom  # memory", message="boom")
@example(pattern="(?x)[[:alpha:]]#[ \nb[c]", message="a")
@example(pattern="(?x) # [ \n b[c]", message="bc")
@example(pattern="(?#[)b[[:alpha:]]*", message="b:")
@example(pattern="(?x)#\\\na", message="")
@example(pattern="(?#\\))b", message="b")
@example(pattern="[+--]+b", message="-,b")
@example(pattern="[--[--", message="")
@example(pattern="(?x: # [ \n b[c])", message="bc")
@example(pattern="[a--](?x)", message="a")
@example(pattern="(?={s)", message="{s")
@example(pattern="(?=a{e}).*", message="b")
@example(pattern="(?=\\N{LATIN SMALL LETTER A}).*", message="a")
@example(pattern="[^]&&", message="a")
@example(pattern="[b&&a]+$", message="a&")
@example(pattern="[]-a]", message="^")
@example(pattern="a{,}b", message="aab")
@example(pattern="\\\\{,2}", message="")
@example(pattern="\\B", message="")
@example(pattern=".\\?", message="a\ud800")
def test_a_pattern_means_what_it_means_to_python(pattern: str, message: str) -> None:
    assert compile_diag(pattern, SEARCHES).ask(message) is python(pattern, message)


@given(pattern=PATTERNS, message=PLAIN)
def test_without_a_backtracking_engine_plain_messages_are_answered_as_python_would_or_not_at_all(
    pattern: str, message: str
) -> None:
    assert compile_diag(pattern).ask(message) in (Answer.BAD, python(pattern, message))


@pytest.mark.parametrize("pattern", ["boom", ".*boom$", "(?i).*boom", "[[:alpha:]]", ".*\\w+ \\$"])
def test_what_users_write_most_is_answered_in_linear_time(pattern: str) -> None:
    diag = compile_diag(pattern, SEARCHES)

    assert diag.regex is not None
    assert not diag.differs.about("boom $\n")


def test_a_message_that_is_not_there_is_matched_by_nothing() -> None:
    assert compile_diag(".*", SEARCHES).ask(None) is Answer.NO
