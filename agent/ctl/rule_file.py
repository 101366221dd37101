"""The rule file of a command: the given one, else the shipped one.

The shipped rules are compiled already; the modules that read YAML are imported only for other rule files.
"""

import sys
import time
from functools import partial
from pathlib import Path

from agent.compiled_rules.file import Compiled, compiled_file, read_compiled
from agent.console.errors import report_error
from agent.console.exits import UsageError
from agent.core.classify.classifier import Classifier, compile_checked, compile_rules
from agent.core.classify.compiler import RulesError
from agent.core.classify.rules import RuleSet
from agent.patterns import BacktrackingSearches
from agent.shipped import RULES, shipped


def load_classifier(file: Path | None) -> Classifier:
    """Load and compile a rule file. Raises UsageError with every fault in it."""
    return load_with_rules(file)[0]


def load_with_rules(file: Path | None) -> tuple[Classifier, RuleSet]:
    """Load and compile a rule file, as above, and return the rules as well."""
    if file is None and isinstance(compiled := read_compiled(compiled_file()), Compiled):
        rules = compiled.rules()
        return compile_checked(rules, searches=BacktrackingSearches(clock=time.monotonic)), rules
    rules = load_rules(file)
    return compile_named(rules, file), rules


def load_rules(file: Path | None) -> RuleSet:
    """Load a rule file. Raises UsageError with every fault in it."""
    from agent.ctl.file_kinds import RULES as OF_RULES  # noqa: PLC0415 - see above
    from agent.ctl.file_kinds import refuse_other  # noqa: PLC0415 - see above
    from agent.ctl.files import unusable  # noqa: PLC0415 - see above
    from agent.documents.problem import ManifestError  # noqa: PLC0415 - see above
    from agent.rule_files import read_rules  # noqa: PLC0415 - see above

    chosen = _chosen(file)
    try:
        return read_rules(chosen, notice=partial(report_error, sys.stderr))
    except OSError as error:
        raise UsageError(f"{chosen}: {error.strerror}") from error
    except ManifestError as error:
        refuse_other(chosen.read_bytes(), str(chosen), wanted=OF_RULES)
        raise unusable(str(chosen), error) from error


def compile_named(rules: RuleSet, file: Path | None) -> Classifier:
    """Compile the rules of this file. Raises UsageError naming the file and the rule that cannot be compiled."""
    try:
        return compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic))
    except RulesError as error:
        raise UsageError(f"{_chosen(file)} cannot be used: {error}") from error


def _chosen(file: Path | None) -> Path:
    return file if file is not None else shipped(RULES)
