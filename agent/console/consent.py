"""Asking before something is changed."""

import sys

import typer

from agent.console.exits import UsageError


def may_change(question: str, *, yes: bool, dry_run: bool) -> bool:
    """Whether to do it: yes with ``--yes``, no with ``--dry-run``, else what a person at the terminal answers.

    Raises UsageError where both are given, or neither and nobody is there to ask.
    """
    if yes and dry_run:
        raise UsageError("--yes and --dry-run exclude each other; give one")
    if yes or dry_run:
        return yes
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(f"{question} Add --yes to do it, or --dry-run to see what would be done")
    return typer.confirm(question, err=True)
