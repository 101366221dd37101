"""The rule file of a command: the given one, else the shipped one."""

import time
from pathlib import Path

from agent.console.exits import UsageError
from agent.core.classify.classifier import Classifier, compile_rules
from agent.core.classify.compiler import RulesError
from agent.ctl.files import unusable
from agent.documents.problem import ManifestError
from agent.documents.source import read_file
from agent.manifests.categories.load import load_categories
from agent.patterns import BacktrackingSearches
from agent.shipped import RULES, shipped


def load_classifier(file: Path | None) -> Classifier:
    """Load and compile a rule file. Raises UsageError with every fault in it."""
    chosen = file if file is not None else shipped(RULES)
    try:
        rules = load_categories(read_file(chosen), file=str(chosen))
        return compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic))
    except OSError as error:
        raise UsageError(f"{chosen}: {error.strerror}") from error
    except ManifestError as error:
        raise unusable(str(chosen), error) from error
    except RulesError as error:
        raise UsageError(f"{chosen} cannot be used: {error}") from error
