from agent.core.failure import Advice, Origin
from agent.ctl.classify.scores import HEALTHY, Answer, Case, Label, score


def case(name: str, label: str, answer: str, *, retryable: bool | None = None, advice: Advice | None = None) -> Case:
    return Case(
        name=name,
        label=Label(leaf=label, origin=Origin.USER, retryable=retryable),
        answer=Answer(leaf=answer, origin=Origin.USER, advice=advice, classified=answer != "none"),
    )


def test_no_cases_score_nothing() -> None:
    scores = score([])

    assert (scores.cases, scores.leaf_accuracy, scores.confusions) == (0, 0.0, ())


def test_a_leaf_in_the_right_category_counts_half() -> None:
    scores = score([case("a", "oom/shm", "oom/container-limit"), case("b", "oom/shm", "oom/shm")])

    assert scores.leaf_accuracy == 0.5
    assert scores.category_accuracy == 1.0
    assert scores.confusions[0].cases == ("a",)


def test_the_default_category_is_unclassified() -> None:
    assert score([case("a", "oom/shm", "none")]).unclassified == 1


def test_a_healthy_answer_can_be_right() -> None:
    assert score([case("a", HEALTHY, HEALTHY)]).leaf_accuracy == 1.0


def test_hope_where_there_is_none_is_counted() -> None:
    hopeless = {"label": "config/bad-command", "answer": "config/bad-command", "retryable": False}
    advised = [Advice.SAME, Advice.ELSEWHERE, Advice.NEVER, Advice.CHANGED, None]

    scores = score([case(str(advice), advice=advice, **hopeless) for advice in advised])  # type: ignore[arg-type]  # the keywords are all text

    assert scores.wrong_retryable == 2


def test_the_most_frequent_confusion_comes_first() -> None:
    cases = [case("a", "x/1", "y/1"), case("b", "x/2", "y/2"), case("c", "x/2", "y/2")]

    assert [confusion.label for confusion in score(cases).confusions] == ["x/2", "x/1"]
