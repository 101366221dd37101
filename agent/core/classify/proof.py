"""Proofs: the mechanisms by which the advice of a rule is certain (docs/evidence.md, Proofs)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from agent.core.failure import Mechanism, Proof

SENTENCES: Final[Mapping[Proof, str]] = MappingProxyType(
    {
        Proof.COMMAND: "the runtime cannot run the command that the pod names, in this image",
        Proof.IMAGE: "the registry or the runtime refuses the image by what it is, not by its state at this moment",
        Proof.SPEC: "a field of the pod prevents its start, and every copy of the pod has it",
        Proof.REFERENCE: "the pod names what does not exist in the cluster",
        Proof.TOO_LARGE: "the request is larger than a limit or than every node",
        Proof.OWN_LIMIT: "the job reached a limit of its own, and the same input reaches it again",
        Proof.GIVEN_UP: "a controller gave the job up and does not run it again",
        Proof.DONE: "the main container succeeded, and its restart policy starts it again",
        Proof.CODE: "the interpreter refuses the submitted code",
        Proof.ARGUMENTS: "the program refuses the arguments that the pod gives it",
        Proof.DISRUPTED: "the system itself removed the pod from its node",
        Proof.NODE: "the node, or the kubelet on it, reports that it cannot run the pod",
        Proof.DEVICE: "the driver or the device plugin reports a fault of the hardware",
        Proof.COMPONENT: "a component of the cluster reports its own failure",
        Proof.BUSY: "others use what the job needs, and it would fit without them",
    }
)
"""Why the advice is certain, as a clause."""

IN_TEXT: Final[Mapping[Proof, frozenset[Mechanism]]] = MappingProxyType(
    {
        Proof.ARGUMENTS: frozenset({Mechanism.EXITED}),
        Proof.CODE: frozenset({Mechanism.EXITED}),
        Proof.OWN_LIMIT: frozenset({Mechanism.EXITED, Mechanism.SIGNALLED}),
    }
)
"""Proofs that a program's own text gives in its final region, and the ends after which it does.

What reaches a limit may be killed for that; of a program that was killed, an error may not be the reason.
"""

IN_WRAPPERS: Final = frozenset({Proof.GIVEN_UP})
"""Proofs that the report of a controller gives although it does not say why the runs failed."""
