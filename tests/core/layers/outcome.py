"""What was decided in a course of failures, beside what each layer has to say of it by itself."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.core.error_table.answer import ErrorRules, TableAnswer, TableQuery, ask_table
from agent.core.error_table.codes import errors_of
from agent.core.error_table.compiled import compile_table
from agent.core.error_table.row import ErrorTable
from agent.core.failure import Origin
from agent.core.history import MostRuns
from tests.core.error_table.drawn import NOW
from tests.core.layers.drawn import ERROR_CODES, Blow, Ours, Row


@dataclass(frozen=True)
class Outcome:
    """One decision. ``wants``: whoever speaks wants another run; ``decider`` and ``forbade`` are names.

    ``answer`` and ``expected`` are the outcome, as it is and as the layers together have it.
    """

    wants: bool
    granted: bool
    decider: tuple[str, ...]
    forbade: tuple[str, ...]
    text: str
    answer: str = ""
    expected: str = ""


@dataclass(frozen=True)
class Opinion:
    """What retry policies say of a failure."""

    decider: tuple[str, ...]
    wants: bool
    by_rule: bool
    key: str
    charge: str
    forbade: tuple[str, ...]


@dataclass
class Policies:
    """Retry policies by the proposal's formulas, with counts of what they granted to one lineage."""

    rows: Sequence[Row]
    cap: int | None
    granted: Counter[str] = field(default_factory=Counter)
    charged: Counter[str] = field(default_factory=Counter)
    others: int = 0

    @property
    def capped(self) -> bool:
        """Whether all retries of the lineage, those that no policy granted too, have reached the cap."""
        return self.cap is not None and self.granted.total() + self.others >= self.cap

    def ask(self, blow: Blow) -> Opinion:
        """Ask about a failure. There must be a policy."""
        found = next(((row, rule) for row in self.rows for rule in row["rules"] if _is_about(rule, blow)), None)
        if found is None:
            row, wants = self.rows[0], self._default()
            decider, key, charge = (row["name"], "default action"), f"{row['name']}/default", _charge(blow)
            limits = [(row["retryLimit"], row["name"]) for row in self.rows if "retryLimit" in row]
            limit = min(limits, key=lambda limited: limited[0], default=None)
        else:
            row, rule = found
            wants, decider = rule["action"] == "Retry", (row["name"], rule["name"])
            key, charge = f"{row['name']}/{rule['name']}", rule.get("charge") or _charge(blow)
            limit = (row["retryLimit"], row["name"]) if "retryLimit" in row else None
            limit = (rule["retryLimit"], "") if "retryLimit" in rule else limit
        return Opinion(decider, wants, found is not None, key, charge, tuple(self._forbidding(key, charge, limit)))

    def grant(self, said: Opinion) -> None:
        """Count a retry that was granted."""
        self.granted[said.key] += 1
        self.charged[said.charge] += 1

    def _default(self) -> bool:
        later = [row.get("defaultAction") for row in self.rows[1:]]
        return self.rows[0].get("defaultAction") == "Retry" and "Fail" not in later

    def _forbidding(self, key: str, charge: str, limit: tuple[int, str] | None) -> list[str]:
        forbidding = []
        if limit is not None and self.granted[key] >= limit[0]:
            forbidding.append(f"retryLimit of policy {limit[1]}" if limit[1] else "retryLimit of the rule")
        budgets = [(row["budgets"][charge], row["name"]) for row in self.rows if charge in row.get("budgets", {})]
        lowest = min(budgets, key=lambda budget: budget[0], default=None)
        if lowest is not None and self.charged[charge] >= lowest[0]:
            forbidding.append(f"budget {charge} of policy {lowest[1]}")
        if self.capped:
            forbidding.append("globalMaxRetries")
        return forbidding


@dataclass
class Table:
    """The error table, asked about one lineage; ``runs`` are those made before."""

    ours: Ours
    runs: int = 0
    most: MostRuns | None = None
    lowest: int | None = None
    error_rules: ErrorRules | None = None

    def ask(self, blow: Blow) -> TableAnswer:
        """Ask about the next run's failure."""
        self.runs += 1
        asked = TableQuery(
            errors=errors_of(blow.failure(), ERROR_CODES.errors),
            attributes=self.ours.attributes,
            runs=self.runs,
            most_runs=self.most,
        )
        if self.error_rules is None:
            table = compile_table(ErrorTable(rules=self.ours.table))
            self.error_rules = ErrorRules(table=table, codes=ERROR_CODES, mode=self.ours.mode)
        said = ask_table(self.error_rules, asked, now=NOW)
        self.error_rules, self.most = said.error_rules or self.error_rules, said.most_runs
        if said.most_runs is not None:
            assert self.lowest is None or said.most_runs.runs <= self.lowest, "a rule raised a limit"
            self.lowest = said.most_runs.runs
        return said


def forbidding(said: TableAnswer) -> tuple[str, ...]:
    """The rules of the table that forbid another run."""
    return tuple(limit.source for limit in said.limits if limit.used >= limit.limit)


def _is_about(rule: Row, blow: Blow) -> bool:
    if "onCategory" in rule:
        return bool(rule["onCategory"] == blow.category)
    return blow.code in rule["onExitCodes"]["values"]


def _charge(blow: Blow) -> str:
    if blow.preempted:
        return "preemption"
    if blow.out_of_memory:
        return "oom"
    return "infra" if blow.origin is Origin.INFRA else "application"
