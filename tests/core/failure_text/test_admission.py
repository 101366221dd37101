"""What is said of the conditions that a pod got at the moment it failed."""

import pytest

from agent.core.evidence import Pod
from agent.core.failure import Admission, Classification, Failure, Occurrence, UserCode
from agent.core.failure_text.admission import conditions
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, of_category

DISAGREES = "this report does not agree with Infrastructure: it had more time and evidence"
LOST = (of_category("gpu"), INFRASTRUCTURE)


@pytest.mark.parametrize(
    ("admission", "sentences"),
    [
        (None, ()),
        (Admission(conditions=LOST), ("the pod got Category-gpu, Infrastructure at the moment it failed",)),
        (
            Admission(conditions=(HOPELESS,), shadow=True),
            ("the pod would have got Hopeless at the moment it failed",),
        ),
        (
            Admission(conditions=LOST, disagreeing=(INFRASTRUCTURE,)),
            (
                "the pod got Category-gpu, Infrastructure at the moment it failed",
                f"{DISAGREES}; the Job may have acted on it",
            ),
        ),
        (
            Admission(conditions=(HOPELESS,), shadow=True, disagreeing=(HOPELESS,)),
            (
                "the pod would have got Hopeless at the moment it failed",
                "this report does not agree with Hopeless: it had more time and evidence",
            ),
        ),
    ],
)
def test_the_sentences_of(admission: Admission | None, sentences: tuple[str, ...]) -> None:
    failure = Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=Classification(category="gpu"),
        user_code=UserCode(),
        pod=Pod(),
        admission=admission,
    )

    assert conditions(failure) == sentences
