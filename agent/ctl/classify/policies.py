"""The retry policies that ``failctl classify`` is to ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from agent.console.errors import report_note
from agent.console.exits import UsageError
from agent.console.options import names_in
from agent.console.terminal import visible

if TYPE_CHECKING:  # who asks for no verdict should not import what decides
    from agent.core.classify.rules import RuleSet
    from agent.diagnose.foresight import Foresight


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPolicies:
    """The files, the policies of the queue among them (``None``: all), and how many runs of each job failed before."""

    files: Sequence[Path]
    queue: tuple[str, ...] | None = None
    failed_before: int | None = None

    def foresight(self, rules: "RuleSet", err: TextIO) -> "Foresight":
        """Read the files. Raises UsageError with every fault, and for a policy of the queue that no file has.

        Names of categories that none of the rules has are noted on ``err``: such a rule of a policy never decides.
        """
        from agent.ctl.policy_file import read_policies  # noqa: PLC0415 - see above
        from agent.diagnose.foresight import Foresight  # noqa: PLC0415 - see above
        from agent.manifests.resource.relations import strange_categories  # noqa: PLC0415 - see above

        policies = read_policies(self.files)
        if missing := [name for name in self.queue or () if name not in policies]:
            known = ", ".join(map(visible, policies))
            raise UsageError(f"--queue-policies: no file has a policy {visible(missing[0])}; they have: {known}")
        given = frozenset({rules.default_category, *(category.name for category in rules.categories)})
        for compiled in policies.values():
            for named in strange_categories(compiled.policy, given):
                report_note(err, f"Policy {visible(compiled.policy.name)}: no rule has a category {visible(named)}")
        return Foresight(policies=policies, queue=self.queue, failed_before=self.failed_before)


def asked_policies(files: Sequence[Path] | None, queue: str | None, failed_before: int | None) -> AskedPolicies | None:
    """What was asked; ``None``: nothing. Raises UsageError for options that need ``--policies``."""
    if files:
        return AskedPolicies(files=files, queue=names_in(queue), failed_before=failed_before)
    if queue is not None or failed_before is not None:
        raise UsageError("--queue-policies and --failed-before are about verdicts; add --policies FILE")
    return None
