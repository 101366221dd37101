"""How well the advice on a failure is known, as a sentence."""

from typing import Final

from agent.core.classify.advised import advised
from agent.core.classify.proof import SENTENCES
from agent.core.failure import Advised, Classification, Grade, Trust

_TRY: Final = {
    Advised.TRY: "so one retry is advised",
    Advised.TRY_ELSEWHERE: "so one retry is advised, rather on another node",
}


def known(given: Classification) -> str:
    """The grade, why it is that, and what follows; empty for a failure without a grade or without a rule."""
    if given.grade is None or not given.matched:
        return ""
    in_effect = advised(given)
    follows = "" if in_effect is None else _TRY.get(in_effect, "")
    return ", ".join(part for part in (f"{given.grade}: {_why(given, given.grade)}", follows) if part)


def _why(given: Classification, grade: Grade) -> str:
    if given.proof is not None:
        return SENTENCES[given.proof]
    if grade is Grade.UNKNOWN:
        return "what was found does not say why"
    if given.matches and given.matches[0].trust is Trust.USER_TEXT:
        return "only what the program wrote says so"
    return "the system says so, and other failures may leave the same mark"
