from agent.telemetry.repetition import Repetition


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_first_is_logged_then_one_in_five_minutes() -> None:
    clock = Clock()
    repetition = Repetition(monotonic=clock)
    logged = []
    for _ in range(601):
        logged.append(repetition.is_due("full"))
        clock.now += 1

    assert [second for second, due in enumerate(logged) if due] == [0, 300, 600]


def test_another_problem_is_logged_at_once() -> None:
    repetition = Repetition(monotonic=Clock())

    assert [repetition.is_due(problem) for problem in ("full", "full", "locked", "locked")] == [
        True,
        False,
        True,
        False,
    ]


def test_a_problem_that_comes_back_is_logged_again() -> None:
    repetition = Repetition(monotonic=Clock())
    assert repetition.is_due("full")
    repetition.over()

    assert repetition.is_due("full")
