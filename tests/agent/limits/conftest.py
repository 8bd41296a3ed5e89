"""What tests of trials that wait for their turn share."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest


@pytest.fixture
def stop() -> threading.Event:
    """The event that is set when the user interrupts the run."""
    return threading.Event()


@pytest.fixture
def thread(stop: threading.Event) -> Iterator[ThreadPoolExecutor]:
    """A thread in which the second trial waits. It ends with the test."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        yield pool
        stop.set()
