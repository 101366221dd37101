"""What is advised in effect: advice that is not certain comes to one retry (docs/evidence.md, Grades).

Who shows a failure or decides on it asks this. It needs none of the rules, so that reading a stored failure imports
nothing that classifies.
"""

from agent.core.failure import Advice, Advised, Classification, Grade, Origin


def advised(given: Classification) -> Advised | None:
    """What is advised in effect: the rule's advice if it is proven, else one retry; elsewhere if a node is suspected.

    Without a grade, as under ``order: file``, the rule's advice is what it is.
    """
    return in_effect(given.advice, given.grade, given.origin)


def in_effect(advice: Advice | None, grade: Grade | None, origin: Origin) -> Advised | None:
    """What advice of this grade comes to where this origin is to blame.

    ``never`` that is not proven would throw a job away that a retry may help, and ``same`` or ``elsewhere`` that is not
    would spend retry after retry on a job that cannot succeed. One try costs little, and shows which it is. A node is
    suspected if the rule says elsewhere, or blames infrastructure.
    """
    if advice is None:
        return None
    if grade in (None, Grade.PROVEN):
        return Advised(advice.value)
    suspected = advice is Advice.ELSEWHERE or origin is Origin.INFRA
    return Advised.TRY_ELSEWHERE if suspected else Advised.TRY
