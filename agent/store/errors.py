"""What can go wrong with the store."""


class StoreError(Exception):
    """The store did not do what it was asked."""


class BadStoreAddress(StoreError):
    """The address names no store this version can open; trying again cannot help."""


class StoreUnreachable(StoreError):
    """Nobody answers at the store's address, or there is no store there; trying again later may help."""


class StoreOutdated(StoreError):
    """The tables are not those this version works with."""


class RowRefused(StoreError):
    """The database will never take one of the rows; trying the same rows again cannot help."""
