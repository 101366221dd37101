"""How a command may end other than done."""


class Waits(Exception):
    """It cannot be done yet: the broker keeps it, and it is tried again."""


class Refused(Exception):
    """It can never be done here: it becomes a dead letter."""
