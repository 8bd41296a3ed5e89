"""How many calls may be on their way at once, and when the next may start: one rule for all trials of a process.

What a server asks for (`Retry-After`) holds for every call of every trial. When it pushes back, half as many calls as
were on their way may be; every full round of calls that went through adds one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

PAUSE_WITHOUT_ADVICE_S = 0.5
"""How long everyone waits after a push-back that names no time."""


@dataclass(frozen=True, slots=True)
class PaceState:
    """What a progress display shows of the pace."""

    limit: int
    """Calls that may be on their way at once."""
    in_flight: int
    waiting: int
    """Calls that wait for their turn."""
    paused_s: float
    """Seconds until the next call may start; 0 where nothing holds it back."""
    pushbacks: int
    """How often the server has asked to slow down."""


class Closed(Exception):
    """The pace was closed while a call waited for its turn."""


class StillPaused(Exception):
    """A call waited for its turn as long as it may; the server asks for `paused_s` seconds more."""

    def __init__(self, paused_s: float) -> None:
        super().__init__(f"still paused for {paused_s:.0f} s")
        self.paused_s = paused_s


class Pace:
    """The gate every call passes. Used from many threads at once."""

    def __init__(self, most: int, *, on_notice: Callable[[str], None] = lambda _: None) -> None:
        self.on_notice = on_notice
        self._most = most
        self._limit = most
        self._in_flight = 0
        self._waiting = 0
        self._went_through = 0
        self._pushbacks = 0
        self._open_at = 0.0
        self._slowed_at = 0.0
        self._is_hurried = False
        self._closing = threading.Event()
        self._changed = threading.Condition()

    @property
    def state(self) -> PaceState:
        """Return a snapshot."""
        with self._changed:
            paused_s = max(0.0, self._open_at - time.monotonic())
            return PaceState(self._limit, self._in_flight, self._waiting, round(paused_s, 3), self._pushbacks)

    @property
    def is_paused(self) -> bool:
        """Whether the server has asked that nobody calls now."""
        return self._open_at > time.monotonic()

    @contextmanager
    def turn(self, longest_s: float) -> Iterator[float]:
        """Wait at most `longest_s` for a turn, hold it for the block, and yield the seconds that the wait took.

        Raises `Closed` and `StillPaused`.
        """
        asked_at = time.monotonic()
        with self._changed:
            self._waiting += 1
            try:
                self._wait_for_turn(asked_at + longest_s)
            except (Closed, StillPaused):
                # It may have been woken in place of another.
                self._changed.notify()
                raise
            finally:
                self._waiting -= 1
            self._in_flight += 1
        try:
            yield time.monotonic() - asked_at
        finally:
            with self._changed:
                self._in_flight -= 1
                self._changed.notify()

    def _wait_for_turn(self, ends_at: float) -> None:
        while True:
            if self._closing.is_set():
                raise Closed
            now = time.monotonic()
            paused_s = self._open_at - now
            if paused_s <= 0 and self._in_flight < self._limit:
                return
            if now >= ends_at or (self._is_hurried and paused_s > 0):
                raise StillPaused(max(0.0, paused_s))
            self._changed.wait(min(ends_at - now, paused_s) if paused_s > 0 else ends_at - now)

    def went_through(self) -> None:
        """Record a call that the server took: a round of them raises the limit by one."""
        with self._changed:
            if self._limit >= self._most:
                return
            self._went_through += 1
            if self._went_through >= self._limit:
                self._went_through = 0
                self._limit += 1
                self._changed.notify()

    def pushed_back(self, retry_after_s: float | None, *, sent_at: float) -> None:
        """Record that the server asked to slow down, in reply to a call sent at `sent_at` (monotonic seconds).

        Replies to calls sent before the last slowing down lower the limit no further: they say the same thing.
        """
        now = time.monotonic()
        pause_s = PAUSE_WITHOUT_ADVICE_S if retry_after_s is None else retry_after_s
        with self._changed:
            self._pushbacks += 1
            self._went_through = 0
            longer = now + pause_s > self._open_at + 0.5
            self._open_at = max(self._open_at, now + pause_s)
            if sent_at >= self._slowed_at:
                self._slowed_at = now
                self._limit = max(1, min(self._limit, self._in_flight) // 2)
            limit = self._limit
        if longer and pause_s >= 1:
            self.on_notice(f"the platform asks to wait {pause_s:.0f} s; then {limit} calls at a time")

    @property
    def is_hurried(self) -> bool:
        """Whether nobody wants to wait any more."""
        return self._is_hurried

    def hurry(self, is_hurried: bool) -> None:
        """Let nobody wait for the end of a pause from now on, or let them wait again."""
        with self._changed:
            self._is_hurried = is_hurried
            self._changed.notify_all()

    def sleep(self, seconds: float) -> None:
        """Wait, no longer than until `close`. Raises `Closed`."""
        if self._closing.wait(seconds):
            raise Closed

    def close(self) -> None:
        """Wake and refuse everyone who waits."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
