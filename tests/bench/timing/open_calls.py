"""Calls of timed methods that have not returned yet, the innermost last, and their phases."""

import threading
from dataclasses import dataclass

from tests.bench.timing.phases import CALLS, INITIAL_CALLS, PROMPT


@dataclass
class OpenCall:
    """A call of a timed method that has not returned yet."""

    phase: str
    inner_s: float = 0.0
    """The CPU seconds of the timed methods that it has called so far."""


class OpenCalls(threading.local):
    """The open calls of timed methods, the innermost last. Each thread has its own."""

    def __init__(self) -> None:
        self.stack: list[OpenCall] = []


def phase_within(stack: list[OpenCall], phase: str) -> str:
    """Return the phase in which a method counts that is called within these open calls.

    It is the method's own phase, except for the calls whose results the initial prompt shows:
    they are counted apart from those of scripts.
    """
    if phase == CALLS and any(call.phase == PROMPT for call in stack):
        return INITIAL_CALLS
    return phase
