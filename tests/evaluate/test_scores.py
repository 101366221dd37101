from agent.core.failure import Advice, Origin
from agent.evaluate.scores import HEALTHY, WAITING, Answer, Case, Label, score


def case(  # noqa: PLR0913 - a case has many sides
    name: str,
    label: str,
    answer: str,
    *,
    retryable: bool | None = None,
    advice: Advice | None = None,
    corroborated: bool = True,
    hard: bool = False,
    exit_code: int | None = None,
    key_lines: tuple[str | None, str] = (None, ""),
) -> Case:
    return Case(
        name=name,
        label=Label(leaf=label, origin=Origin.USER, retryable=retryable, key_line=key_lines[0]),
        answer=Answer(
            leaf=answer,
            origin=Origin.USER,
            advice=advice,
            classified=answer != "none",
            corroborated=corroborated,
            key_line=key_lines[1],
        ),
        hard=hard,
        exit_code=exit_code,
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


def test_a_healthy_answer_to_a_pod_that_waits_is_wrong() -> None:
    scores = score([case("a", WAITING, HEALTHY), case("b", WAITING, WAITING), case("c", HEALTHY, "none")])

    assert (scores.leaf_accuracy, scores.category_accuracy) == (0.3333, 0.3333)
    assert scores.all.origin.of == 0


def test_a_healthy_answer_can_be_right() -> None:
    assert score([case("a", HEALTHY, HEALTHY)]).leaf_accuracy == 1.0


def test_advice_to_retry_where_it_cannot_help_is_counted() -> None:
    hopeless = {"label": "config/bad-command", "answer": "config/bad-command", "retryable": False}
    advised = [Advice.SAME, Advice.ELSEWHERE, Advice.NEVER, Advice.CHANGED, None]

    scores = score([case(str(advice), advice=advice, **hopeless) for advice in advised])  # type: ignore[arg-type]  # the keywords are all text

    assert scores.wrong_retryable == 2


def test_the_most_frequent_confusion_comes_first() -> None:
    cases = [case("a", "x/1", "y/1"), case("b", "x/2", "y/2"), case("c", "x/2", "y/2")]

    assert [confusion.label for confusion in score(cases).confusions] == ["x/2", "x/1"]


def test_advice_never_to_retry_where_it_helps_is_counted_and_a_change_separately() -> None:
    helps = {"label": "node/lost", "answer": "app/exception", "retryable": True}
    advised = [Advice.SAME, Advice.NEVER, Advice.NEVER, Advice.CHANGED, None]

    scores = score([case(str(number), advice=advice, **helps) for number, advice in enumerate(advised)])  # type: ignore[arg-type]  # the keywords are all text

    assert scores.wrong_hopeless == 2
    assert scores.mistakes["wrong_hopeless"] == ("1", "2")
    assert (scores.all.changed_though_retryable.count, scores.all.changed_though_retryable.of) == (1, 5)
    assert scores.all.without_advice.count == 1


def test_wrong_retries_that_were_marked_are_counted_separately() -> None:
    hopeless = {"label": "app/exception", "answer": "comm/nccl-network", "retryable": False, "advice": Advice.SAME}

    scores = score([case("a", corroborated=False, **hopeless), case("b", **hopeless)])  # type: ignore[arg-type]  # as above

    assert scores.wrong_retryable == 2
    assert scores.all.wrong_retryable_uncorroborated.count == 1


def test_an_origin_is_scored_only_where_something_failed() -> None:
    scores = score([case("a", "oom/shm", "oom/shm"), case("b", HEALTHY, HEALTHY)])

    assert scores.all.origin.of == 1
    assert scores.all.leaf.of == 2


def test_hard_cases_are_scored_separately() -> None:
    scores = score([case("a", "oom/shm", "none", hard=True), case("b", "oom/shm", "oom/shm")])

    assert (scores.easy.leaf.share, scores.hard.leaf.share) == (1.0, 0.0)
    (leaf,) = scores.labels
    assert (leaf.cases, leaf.right, leaf.hard_cases, leaf.hard_right) == (2, 1, 1, 0)


def test_baselines_see_nothing_or_only_the_exit_code() -> None:
    cases = [case("a", "oom/shm", "none", exit_code=137), case("b", "app/exception", "none", exit_code=1)]
    cases += [case("c", "app/exception", "none", exit_code=137), case("d", "app/exception", "none", exit_code=1)]

    constant, by_code = score(cases).baselines

    assert (constant.name, constant.leaf.share) == ("constant", 0.75)
    assert (by_code.name, by_code.leaf.share) == ("exit code", 0.75)
    assert by_code.origin.share == 1.0


def test_the_key_line_counts_where_one_is_marked() -> None:
    marked = [("KeyError: 1", "KeyError: 1 "), ("KeyError: 1", "make: *** Error 2"), (None, "x")]

    scores = score([case(str(n), "x/1", "x/1", key_lines=lines) for n, lines in enumerate(marked)])

    assert (scores.all.key_line.count, scores.all.key_line.of) == (1, 2)


def test_a_category_alone_fits_each_of_its_leaves() -> None:
    cases = [
        case("a", "oom", "oom/shm"),
        case("b", "oom", "oom"),
        case("c", "oom", "ooms/shm"),
        case("d", "oom/shm", "oom"),
    ]

    assert [scored.right for scored in cases] == [True, True, False, False]


def test_a_label_without_an_origin_is_not_scored_on_it() -> None:
    unsaid = Case(name="a", label=Label(leaf="oom"), answer=case("a", "oom", "oom").answer)

    assert (score([unsaid]).all.origin.of, score([unsaid, case("b", "oom", "oom")]).all.origin.of) == (0, 1)
