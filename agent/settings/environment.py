"""Settings from variables of the environment."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

PREFIX = "FAILURE_AGENT_"

_SERVICE_LINK = re.compile(r"(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)")
"""Variables that Kubernetes sets in every pod of a namespace with a Service named like us; they are no settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSetting:
    """One setting from outside the file: its source, the names of the fields down to it, and its text.

    It is from a variable, or from an option of the command line.
    """

    place: str
    names: tuple[str, ...]
    text: str
    is_variable: bool = True


def variable(names: Iterable[str]) -> str:
    """The variable of a setting, from the names that its fields have in code."""
    return PREFIX + "__".join(names).upper()


def variables(environ: Mapping[str, str]) -> Iterator[GivenSetting]:
    """Our variables in the order of their names; ``__`` goes one field deeper.

    Service links are left out, and empty variables: shells and manifests write those for what is not set.
    """
    for name in sorted(environ):
        rest = name.removeprefix(PREFIX)
        if environ[name] and rest not in {name, ""} and not (_SERVICE_LINK.fullmatch(rest) and "__" not in rest):
            yield GivenSetting(place=f"environment {name}", names=tuple(rest.split("__")), text=environ[name])
