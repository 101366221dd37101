"""Who a list under way has named, so that those it did not name are known to be gone."""


class RollCall:
    """The uids named so far. ``uid in roll`` is asked once all were named.

    A list that fills an empty inventory names all there is, so nothing is noted of it: with a hundred thousand objects
    that is 6 MB.
    """

    def __init__(self, *, known: int) -> None:
        """For a list that meets so many known objects."""
        self._named: set[str] | None = set() if known else None

    def __contains__(self, uid: object) -> bool:
        return self._named is None or uid in self._named

    def name(self, uid: str) -> None:
        """It exists."""
        if self._named is not None:
            self._named.add(uid)

    def strike(self, uid: str) -> None:
        """It exists no longer."""
        if self._named is not None:
            self._named.discard(uid)

    def clear(self) -> None:
        """Nobody will ask any more."""
        self._named = None
