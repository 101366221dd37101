"""Redaction: removes secrets from a text before it is stored anywhere (docs/protocol.md: redacted-before-disk)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import re2
from msgspec.structs import replace

from agent.core.evidence import Evidence
from agent.core.failure import Classification, Match
from agent.core.memo import memo
from agent.core.summary.texts import TextPlace, Texts, collect, rewrite

REDACTED = "[redacted]"
"""The replacement for a secret."""

_NOTHING = r"[^\s\S]"
_TEXT_ANCHOR = re.compile(r"(?<!\\)(?:\\\\)*\\[AZz]")
_LINE_ANCHOR = re.compile(r"(?<!\[)\^|\$")
_GROUP = re.compile(r"\\(\d+)")


class RedactionError(Exception):
    """An invalid redaction rule; the text names the rule and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRule:
    r"""Replaces what matches ``pattern`` (RE2); the replacement may quote groups as ``\1``.

    ``^`` and ``$`` match at line boundaries; the boundaries of the whole text, ``\A`` and ``\z``, are refused: a
    secret is a secret wherever it occurs.
    """

    name: str
    pattern: str
    replacement: str = REDACTED


CONFIDENTIAL_NAMES = (
    r"password|passwd|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|account[_-]?key"
    r"|sas[_-]?key|encryption[_-]?key|credentials?"
)
"""What a secret is called, as a pattern; the name may say more before it."""

DEFAULT_RULES = (
    RedactionRule(
        name="private-key",
        pattern=r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----(?:[^-]|-[^-])*"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----)?",
    ),
    RedactionRule(
        name="password-in-url",
        pattern=r"(?i)\b([a-z][a-z0-9+.-]*://[^\s/:@\"']*):[^\s/\"']+@",
        replacement=rf"\1:{REDACTED}@",
    ),
    RedactionRule(
        name="authorization-header",
        pattern=r"(?i)\b(authorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token|negotiate|digest)\s+)[^\s\"',;]+",
        replacement=rf"\1{REDACTED}",
    ),
    RedactionRule(name="bearer-token", pattern=r"(?i)\b(bearer\s+)[a-z0-9._~+/=-]{16,}", replacement=rf"\1{REDACTED}"),
    RedactionRule(name="json-web-token", pattern=r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?"),
    RedactionRule(name="aws-key-id", pattern=r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
    RedactionRule(
        name="signed-url",
        pattern=r"(?i)([?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|awsaccesskeyid)=)[^&\s\"']+",
        replacement=rf"\1{REDACTED}",
    ),
    RedactionRule(name="github-token", pattern=r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    RedactionRule(name="gitlab-token", pattern=r"\bgl(?:pat|ptt|rt|dt|cbt)-[A-Za-z0-9_-]{16,}"),
    RedactionRule(name="slack-token", pattern=r"\bxox[a-z]-[A-Za-z0-9-]{10,}"),
    RedactionRule(
        name="slack-webhook", pattern=r"(hooks\.slack\.com/services/)[A-Za-z0-9/_-]+", replacement=rf"\1{REDACTED}"
    ),
    RedactionRule(
        name="vendor-token",
        pattern=r"\b(?:AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{30,}"
        r"|sk-[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|dckr_pat_[A-Za-z0-9_-]{16,})",
    ),
    # before the plain assignment, which would stop at the first space of a quoted value
    RedactionRule(
        name="quoted-assignment",
        pattern=rf"(?i)((?:{CONFIDENTIAL_NAMES}|\bpwd)[\"']?\s*[:=]\s*)(?:\"[^\"\n]+\"|'[^'\n]+')",
        replacement=rf"\1{REDACTED}",
    ),
    RedactionRule(
        name="assignment",
        pattern=rf"(?i)((?:{CONFIDENTIAL_NAMES}|\bpwd)[\"']?[ \t]*[:=][ \t]*)[^\s,;&\"'()\[\]{{}}]+",
        replacement=rf"\1{REDACTED}",
    ),
    RedactionRule(
        name="command-line-option",
        pattern=rf"(?i)(--[a-z0-9-]*(?:{CONFIDENTIAL_NAMES})[ \t]+)[^\s-][^\s]*",
        replacement=rf"\1{REDACTED}",
    ),
    RedactionRule(name="docker-auth", pattern=r"(\"auth\"\s*:\s*\")[A-Za-z0-9+/=]{8,}", replacement=rf"\1{REDACTED}"),
)
"""The default rules, in the order in which they apply; settings may add more."""


class Redactor:
    """Applies rules in order. One search over everything finds out whether there is anything to do.

    Raises RedactionError for an invalid rule. The search is one alternation, not an ``RE2.Set``: if RE2 runs out of
    memory, a Set finds nothing, while an alternation only gets slower.
    """

    def __init__(self, rules: Iterable[RedactionRule] = DEFAULT_RULES) -> None:
        compiled = [(_compile(rule), rule.replacement) for rule in rules]
        self._rules = tuple(compiled)
        self.minds_lines = any(_LINE_ANCHOR.search(pattern.pattern) for pattern, _ in compiled)
        """Whether a rule may depend on where a line starts or ends, so that quoting a text may change the result."""
        self._any = re2.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in compiled) or _NOTHING, _NO_GROUPS)
        self._finds_in_node = memo(self._finds_once)

    def finds(self, text: str) -> bool:
        """Whether any rule matches in the text; for texts joined by line breaks, in any of them or across two."""
        return self._any.search(text.encode()) is not None

    def finds_in(self, texts: Texts) -> bool:
        """Whether any rule matches in one of these texts; may also say so of a match across two."""
        if self.minds_lines:
            return self.finds(texts.joined)
        return self._finds_once(texts) or (texts.of_node is not None and self._finds_in_node(texts.of_node))

    def _finds_once(self, texts: Texts) -> bool:
        return self.finds(texts.once)

    def redact(self, text: str) -> str:
        for pattern, replacement in self._rules:
            text = pattern.sub(replacement, text)
        return text


def _options(*, groups: bool) -> "re2.Options":
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not groups
    return options


_OPTIONS = _options(groups=True)
_NO_GROUPS = _options(groups=False)
"""For a search without positions: RE2 would compute the position of each group, and the rules have dozens."""


def _compile(rule: RedactionRule) -> "re2._Regexp[str]":
    if _TEXT_ANCHOR.search(rule.pattern):
        raise RedactionError(f"redaction rule {rule.name}: \\A and \\z are not allowed; use ^ and $ (of lines)")
    try:
        pattern = re2.compile(f"(?m:{rule.pattern})", _OPTIONS)
    except re2.error as error:
        raise RedactionError(f"redaction rule {rule.name}: not a valid pattern: {_reason(error)}") from error
    if any(int(group) > pattern.groups for group in _GROUP.findall(rule.replacement)):
        raise RedactionError(f"redaction rule {rule.name}: the replacement quotes a group that the pattern lacks")
    return pattern


def _reason(error: Exception) -> str:
    said = error.args[0] if error.args else error
    return said.decode(errors="replace") if isinstance(said, bytes) else str(said)


def redact(
    evidence: Evidence, given: Classification, redactor: Redactor
) -> tuple[Evidence, Classification, tuple[str, ...]]:
    """Both without secrets, and the paths of the fields that contained some."""
    redacting = _Redacting(redactor)
    clean = rewrite(evidence, redacting)
    before, after = collect(evidence).joined, collect(clean).joined
    matches = tuple(
        redacting.match(match, before=before, after=after, path=f"classification.matches[{index}].text")
        for index, match in enumerate(given.matches)
    )
    hypotheses = tuple(
        replace(
            hypothesis,
            match=redacting.match(
                hypothesis.match, before=before, after=after, path=f"classification.hypotheses[{index}].match.text"
            ),
        )
        for index, hypothesis in enumerate(given.hypotheses)
    )
    values = [
        redacting.part(detail.value, before=before, after=after, path=f"classification.detail[{index}].value")
        for index, detail in enumerate(given.detail)
    ]
    detail = tuple(replace(detail, value=value) for detail, value in zip(given.detail, values, strict=True))
    clean_given = replace(given, matches=matches, hypotheses=hypotheses, detail=detail)
    return clean, clean_given, tuple(redacting.paths)


def _part(text: str, redactor: Redactor, *, before: str, after: str) -> str:
    """A part of the evidence, such as what a rule matched, without secrets.

    A category rule may match the secret itself, without the prefix that redaction looks for. A text that was in the
    evidence and no longer is was a secret.
    """
    clean = redactor.redact(text)
    if clean == text and text in before and text not in after:
        return REDACTED
    return clean


@dataclass(frozen=True, slots=True)
class _Redacting:
    """Redacts texts and records where."""

    redactor: Redactor
    paths: list[str] = field(default_factory=list)

    def text(self, text: str, place: TextPlace) -> str:
        clean = self.redactor.redact(text)
        if clean == text:
            return text
        self.paths.append(place.path)
        return clean

    def part(self, text: str, *, before: str, after: str, path: str) -> str:
        """A part of the evidence without secrets."""
        clean = _part(text, self.redactor, before=before, after=after)
        if clean != text:
            self.paths.append(path)
        return clean

    def match(self, match: Match, *, before: str, after: str, path: str) -> Match:
        """The match without secrets; ``before`` and ``after`` are all texts of the evidence, with and without them."""
        text = self.part(match.text, before=before, after=after, path=path)
        where, container = self.redactor.redact(match.where), self.redactor.redact(match.container)
        return replace(match, text=text, where=where, container=container)

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
