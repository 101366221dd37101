"""``failctl lint``: every problem in every file at once, with line, column and the fix."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit, UsageError
from agent.console.inputs import Input, inputs
from agent.console.options import Form
from agent.console.terminal import palette
from agent.core.classify.rules import RuleSet, asking
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.units import counted
from agent.ctl.file_kinds import RULES as OF_RULES
from agent.ctl.file_kinds import refuse_other
from agent.ctl.rule_count import count_line, packs_missing
from agent.ctl.scripts import KINDS as SIMULATORS
from agent.ctl.tables import format_of, mode_named, read_codes
from agent.documents.checked import Checked, check_one
from agent.documents.compose import Documents
from agent.documents.node import List, Node, Scalar
from agent.documents.problem import Problem, Severity, errors_of, in_order, render
from agent.manifests.categories.load import is_categories
from agent.manifests.crosscheck import (
    Known,
    PolicyDocument,
    known_categories,
    mixed_dialects,
    repeated_policies,
    unknown_categories,
)
from agent.manifests.error_table.load import check_table
from agent.manifests.error_table.rows import CheckContext
from agent.manifests.error_table.write import Format
from agent.manifests.lint import KnownKind, LintContext, Linted, compose, lint_documents
from agent.rule_files import check_rules, read_rules
from agent.settings.cluster import ClusterSettings
from agent.settings.document import check_settings, is_settings
from agent.settings.scheduler import SchedulerSettings
from agent.shipped import RULES, shipped

_ROWS = (Format.CSV, Format.SQL)
"""The formats of error tables that are rows, not documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """What to lint: ``files``, for an agent with these settings if any; without files the one the settings name.

    ``rules`` are rule files: policies and Jobs may then only name their categories. ``gates`` are those of JobSets.
    ``form``, ``mode`` and ``codes`` are for error tables. With ``strict`` warnings are findings too.
    """

    files: Sequence[str | Path]
    rules: Sequence[Path] = ()
    gates: Gates = ALL_OFF
    settings: Path | None = None
    form: str | None = None
    mode: str = "strict"
    codes: Path | None = None
    strict: bool = False
    output: Form = "table"


def run(request: LintRequest, *, environ: Mapping[str, str], now: datetime, out: TextIO) -> Exit:
    """Lint every file, even if another cannot be read; any error exits with code 1, with ``strict`` any warning.

    Raises UsageError if there is nothing to lint, and for files that cannot be read, after printing the problems.
    """
    table = CheckContext(mode=mode_named(request.mode), codes=read_codes(request.codes), now=now)
    settings = KnownKind(name="settings", is_one=is_settings, check=partial(check_settings, environ=environ))
    # The first kind that fits counts: a workload has `retries` as settings do, but settings have no `scripts`.
    context = LintContext(gates=request.gates, table=table, kinds=(*SIMULATORS, settings))
    loaded = _Loaded(request.form)
    context = replace(context, asking=loaded.asking(loaded.files(request.rules)))
    subject = _subject(request, context, loaded, environ)
    # Once each: a variable may be wrong for several files of settings.
    problems = [*dict.fromkeys([*subject.problems, *_lint(subject, loaded.files(request.rules), loaded)])]
    if request.output == "json":
        json.dump([asdict(problem) for problem in problems], out, indent=2)
        out.write("\n")
    else:
        _print(problems, loaded, out)
    if loaded.unreadable:
        raise UsageError("\n".join(loaded.unreadable))
    found = problems if request.strict else errors_of(problems)
    return Exit.FINDING if found else Exit.FINE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What is linted, the context, and problems of the settings.

    ``whole`` is the rule file that an agent uses with its packs, and nothing else.
    """

    files: Sequence[Input]
    context: LintContext
    problems: tuple[Problem, ...] = ()
    whole: Path | None = None


class _Loaded:
    """Gives each file's text and documents, read once, because standard input can be read only once.

    ``unreadable`` has the reason for each file that cannot be read, ``counts`` a line on each rule file.
    """

    def __init__(self, form: str | None) -> None:
        self.unreadable: list[str] = []
        self.counts: list[str] = []
        self._form = form
        self._texts: dict[Input, str | None] = {}
        self._documents: dict[Input, Documents] = {}
        self._rules: dict[Input, Checked[RuleSet]] = {}

    @property
    def count(self) -> int:
        """The number of files that were read: linted files, settings and rule files."""
        return sum(text is not None for text in self._texts.values())

    def files(self, names: Sequence[str | Path]) -> tuple[Input, ...]:
        """Return the named files, each once, including those in folders."""
        found: dict[Input, None] = {}
        for name in dict.fromkeys(names):
            try:
                found |= dict.fromkeys(inputs([name]))
            except UsageError as error:
                self.unreadable.append(str(error))
        return tuple(found)

    def text(self, file: Input) -> str | None:
        """Return the text of a file; ``None`` where it cannot be read."""
        if file not in self._texts:
            try:
                self._texts[file] = file.text()
            except UsageError as error:
                self._texts[file] = None
                self.unreadable.append(str(error))
        return self._texts[file]

    def documents(self, file: Input) -> Documents | None:
        """Return the documents of a file; ``None`` where it cannot be read."""
        text = self.text(file)
        if text is not None and file not in self._documents:
            self._documents[file] = compose(text, file=file.name)
        return self._documents.get(file)

    def rules(self, file: Input) -> Checked[RuleSet] | None:
        """Return the rules of a rule file with its packs; ``None`` where it cannot be read."""
        documents = self.documents(file)
        if documents is not None and file not in self._rules:
            self._rules[file] = check_rules(documents)
        return self._rules.get(file)

    def asking(self, files: Sequence[Input]) -> frozenset[str] | None:
        """Return the categories of rule files that have a condition; ``None`` without files, or if one has errors."""
        checked = [self.rules(file) for file in files]
        rules = [rules.value for rules in checked if rules is not None and rules.value is not None]
        if not files or len(rules) < len(files):
            return None
        return frozenset[str]().union(*map(asking, rules))

    def lint(self, file: Input, context: LintContext) -> Linted:
        """Return what is wrong with a file: rows of an error table, or documents of any kind."""
        form = format_of(file.path, self._form)
        if form in _ROWS and (text := self.text(file)) is not None:
            checked = check_table(text, file=file.name, form=form, context=context.table)
            return Linted(problems=checked.problems, policies=())
        documents = self.documents(file)
        return Linted(problems=(), policies=()) if documents is None else lint_documents(documents, context=context)

    def of_packs(self, file: Input, linted: Linted, context: LintContext) -> Iterator[Problem]:
        """Yield the problems of the packs that a rule file lists, and of its list of them."""
        documents = None if errors_of(linted.problems) else self._documents.get(file)
        if documents is not None and [is_categories(root) for root in documents.roots] == [True]:
            checked = check_rules(documents, event_types=context.event_types)
            if checked.value is not None:
                self.counts.append(count_line(file.name, checked.value))
            yield from (problem for problem in checked.problems if problem not in linted.problems)


def _subject(request: LintRequest, context: LintContext, loaded: _Loaded, environ: Mapping[str, str]) -> _Subject:
    """The files of the command line, else those that the settings name, with the context that the settings give."""
    files = loaded.files(request.files)
    if request.settings is None:
        if not request.files:
            raise UsageError("nothing to lint: give files, or --settings FILE, which names some")
        return _Subject(files=files, context=context)
    file = Input(path=request.settings)
    documents = loaded.documents(file)
    if documents is None:
        return _Subject(files=files, context=context)
    checked = check_one(documents, partial(check_settings, environ=environ))
    whole: Path | None = None
    match checked.value:
        case ClusterSettings() as settings:
            whole = settings.categories or shipped(RULES)
            named: Sequence[Path] = (whole,)
            context = replace(context, event_types=settings.watch.event_types)
        case SchedulerSettings() as settings:
            named = settings.policies
            context = replace(context, gates=settings.job_sets.gates())
        case _:
            named = ()
    linted = files if request.files else loaded.files(named)
    # Settings that are linted themselves report their own problems.
    return _Subject(files=linted, context=context, problems=() if file in linted else checked.problems, whole=whole)


def _lint(subject: _Subject, rules: Sequence[Input], loaded: _Loaded) -> Iterator[Problem]:
    """Yield the problems of each file alone, and of policies compared with each other and with the rule files."""
    linted = [loaded.lint(file, subject.context) for file in subject.files]
    policies = [policy for result in linted for policy in result.policies]
    between = [*mixed_dialects(policies), *repeated_policies(policies)]
    if rules:
        errors, known = _categories(rules, loaded)
        yield from errors
        between += () if known is None else _unknown(policies, known)
    elif policies:
        between += _misspelt(policies)
    for file, result in zip(subject.files, linted, strict=True):
        yield from in_order((*result.problems, *(problem for problem in between if problem.file == file.name)))
        yield from loaded.of_packs(file, result, subject.context)
        if file.path == subject.whole and (documents := loaded.documents(file)) is not None:
            yield from packs_missing(documents)


def _unknown(policies: Iterable[PolicyDocument], known: Known) -> Iterator[Problem]:
    return (problem for policy in policies for problem in unknown_categories(policy, known))


def _misspelt(policies: Iterable[PolicyDocument]) -> Iterator[Problem]:
    """Yield warnings of names that are almost those of rules that ship. Others may be of rules that are elsewhere."""
    known = known_categories([read_rules(shipped(RULES))])
    for policy in policies:
        for problem in unknown_categories(policy, known, of="rule that ships"):
            if problem.hint:
                yield replace(problem, hint=f"{problem.hint} If rules of your own have it, name them by --rules FILE")


def _categories(files: Sequence[Input], loaded: _Loaded) -> tuple[Sequence[Problem], Known | None]:
    """Return the errors of rule files, and the categories they have; ``None`` where one cannot be read.

    In a file with errors any text may be the name of a category, so all texts count: no false error about policies.
    """
    errors: list[Problem] = []
    rules: list[RuleSet] = []
    written: set[str] = set()
    for file in files:
        documents, checked = loaded.documents(file), loaded.rules(file)
        if documents is None or checked is None:
            return errors, None
        if checked.value is None:
            refuse_other(loaded.text(file) or "", file.name, wanted=OF_RULES)
            errors += errors_of(checked.problems)
            written.update(text for root in documents.roots for text in _texts(root))
        else:
            rules.append(checked.value)
    known = known_categories(rules)
    return errors, {**dict.fromkeys(written, written), **{name: {*known[name], *written} for name in known}}


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, Scalar):
        yield node.text
    else:
        below = node.items if isinstance(node, List) else (entry.value for entry in node.entries)
        for child in below:
            yield from _texts(child)


def _print(problems: Sequence[Problem], loaded: _Loaded, out: TextIO) -> None:
    colours = palette(out)
    for problem in problems:
        headline, _, rest = render(problem).partition("\n")
        mark = colours.bad if problem.severity is Severity.ERROR else colours.warning
        out.writelines(f"{text}\n" for text in (mark(headline), rest) if text)
    out.writelines(f"{line}\n" for line in loaded.counts)
    if loaded.count or problems:
        mark = colours.bad if errors_of(problems) else colours.good
        out.write(f"{counted(loaded.count, 'file')}: {mark(tally(problems))}\n")


def tally(problems: Sequence[Problem]) -> str:
    """The number of problems, and separately of warnings."""
    errors = len(errors_of(problems))
    wrong = counted(errors, "problem") if errors else "no problems"
    warnings = len(problems) - errors
    return f"{wrong}, {counted(warnings, 'warning')}" if warnings else wrong
