"""Garbage: what the tests are collected into lives to the end, and the collector of garbage looks through none of it.

A process of tests has hundreds of thousands of such objects. While they are made no garbage is looked for, and once
when they are made, so that a file or a socket that a module leaves behind is reported as before. A plugin of pytest:
``tests.garbage``.
"""

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without collecting garbage; then only what tests make is looked through."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
