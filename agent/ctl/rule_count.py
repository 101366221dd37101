"""Counts the rules of a rule file. ``failctl lint`` prints it, so that a file without the shipped rules is noticed."""

from functools import cache

from agent.core.classify.rules import Order, RuleSet
from agent.core.units import counted
from agent.documents.checked import check_one
from agent.documents.compose import Documents
from agent.documents.problem import Problem
from agent.manifests.categories.load import PACKS, check_file
from agent.manifests.categories.packs import lines_for_shipped
from agent.rule_files import RuleCount, count_rules, read_rules
from agent.shipped import RULES, shipped


def count_line(file: str, rules: RuleSet) -> str:
    """A line with the number of rules of a file, and how many of them are shipped."""
    count = count_rules(rules)
    if count.shipped:
        return f"{file}: {counted(count.all, 'rule')}, {count.shipped} of them shipped"
    missing = f"none of the {_shipped().all} that ship; {_for_shipped(rules.order)} adds those"
    return f"{file}: {counted(count.all, 'rule')}, and {missing}"


def packs_missing(documents: Documents) -> tuple[Problem, ...]:
    """A warning if the only rule file of an agent has no field ``packs``."""
    file = check_one(documents, check_file).value
    if file is None or file.finder.has((*file.block, PACKS)):
        return ()
    message = f"no pack is used: what no rule here matches has no category, though {_shipped().all} rules ship"
    hint = f"add {_for_shipped(file.rules.order)} to the file, or `packs: []` if no other rules are meant"
    return (file.source.problem(file.finder.finding("no-packs", message, at=file.listed, hint=hint)),)


def _for_shipped(order: Order) -> str:
    return " with ".join(f"`{line}`" for line in lines_for_shipped(order))


@cache
def _shipped() -> RuleCount:
    return count_rules(read_rules(shipped(RULES)))
