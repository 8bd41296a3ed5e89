"""Collects the tests without Python's garbage collector, which takes half of the time otherwise.

Nearly all that is made while 2,000 modules are imported lives until the tests end. The collector
would look through it again and again, and find nothing.
"""

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the collector rest in the meantime, and then leave alone what is in use.

    pytest calls the next plugin at the `yield`, until all tests are collected.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
