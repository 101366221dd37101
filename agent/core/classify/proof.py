"""Proofs: the mechanisms by which the advice of a rule is certain (docs/evidence.md, Proofs)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agent.core.failure import Proof

SENTENCES: Final[Mapping[Proof, str]] = MappingProxyType(
    {
        Proof.COMMAND: "the runtime cannot run the command that the pod names, in this image",
        Proof.IMAGE: "the registry or the runtime refuses the image by what it is, not by its state at this moment",
        Proof.SPEC: "a field of the pod is refused, and every copy of the pod has it",
        Proof.REFERENCE: "the pod names an object that does not exist",
        Proof.TOO_LARGE: "the request is larger than a limit or than every node",
        Proof.OWN_LIMIT: "the job reached a limit of its own, and the same input reaches it again",
        Proof.GIVEN_UP: "a controller has used up the retries that the job allows",
        Proof.CODE: "the interpreter refuses the submitted code",
        Proof.ARGUMENTS: "the program refuses the arguments that the pod gives it",
        Proof.DISRUPTED: "the system itself removed the pod from its node",
        Proof.NODE: "the node, or the kubelet on it, reports that it cannot run the pod",
        Proof.DEVICE: "the driver or the device plugin reports a fault of the hardware",
        Proof.COMPONENT: "a component of the cluster reports its own failure",
    }
)
"""Why the advice is certain, as a clause."""

IN_TEXT: Final = frozenset({Proof.CODE, Proof.ARGUMENTS})
"""Proofs that a program's own text gives, in its final region and with a non-zero exit code."""

HOPELESS: Final = frozenset(
    {
        Proof.COMMAND,
        Proof.IMAGE,
        Proof.SPEC,
        Proof.REFERENCE,
        Proof.TOO_LARGE,
        Proof.OWN_LIMIT,
        Proof.GIVEN_UP,
        Proof.CODE,
        Proof.ARGUMENTS,
    }
)
"""Proofs that the same input must fail again. The others prove that the system failed."""
