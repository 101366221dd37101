"""Whether ``ErrorDiag`` is a pattern: of Python's, as PanDA's are."""

import re
import warnings


def python_fault(pattern: str) -> str:
    """Return why Python takes no such pattern; an empty text where it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern, re.DOTALL)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error) or "nested too deep"
    return ""
