from contextvars import copy_context

from agent.lookout.spent import SPENT, Spent, in_database


def test_time_in_the_database_counts_for_the_request_that_spends_it() -> None:
    spent = Spent()

    def request() -> None:
        SPENT.set(spent)
        with in_database():
            pass
        first = spent.database
        with in_database():
            pass
        assert spent.database > first > 0

    copy_context().run(request)
    with in_database():
        assert SPENT.get() is None
