"""Throttles the calls of all trials of a process: how many are in flight at once, and when the next may start.

A server's `Retry-After` holds for every call of every trial. When the server pushes back, the limit falls to half of
the calls in flight; every full round of calls that succeed adds one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

PAUSE_WITHOUT_ADVICE_S = 0.5
"""Seconds that everyone waits after a push-back that names no time."""


@dataclass(frozen=True, slots=True)
class ThrottleState:
    """What a progress display shows of the throttle."""

    limit: int
    """Calls that may be in flight at once."""
    in_flight: int
    waiting: int
    """Calls that wait for their turn."""
    paused_s: float
    """Seconds until the next call may start; 0 if it may start now."""
    pushbacks: int
    """How often the server asked to slow down."""


class ThrottleClosed(Exception):
    """The throttle was closed while a call waited for its turn."""


class PauseTooLong(Exception):
    """A call waited for its turn as long as it may, and the server asks for `paused_s` seconds more."""

    def __init__(self, paused_s: float) -> None:
        super().__init__(f"still paused for {paused_s:.0f} s")
        self.paused_s = paused_s


class Throttle:
    """Gives every call its turn. Used from many threads at once."""

    def __init__(self, most: int, *, on_notice: Callable[[str], None] = lambda _: None) -> None:
        self.on_notice = on_notice
        self._most = most
        self._limit = most
        self._in_flight = 0
        self._waiting = 0
        self._succeeded = 0
        self._pushbacks = 0
        self._open_at = 0.0
        self._slowed_at = 0.0
        self.is_stopping = False
        """Whether nobody wants to wait any more."""
        self._closing = threading.Event()
        self._changed = threading.Condition()

    @property
    def state(self) -> ThrottleState:
        """Return a snapshot."""
        with self._changed:
            paused_s = max(0.0, self._open_at - time.monotonic())
            return ThrottleState(self._limit, self._in_flight, self._waiting, round(paused_s, 3), self._pushbacks)

    @property
    def is_paused(self) -> bool:
        """Whether the server asked that nobody calls now."""
        return self._open_at > time.monotonic()

    def acquire(self, longest_s: float) -> float:
        """Wait at most `longest_s` for a turn, and return the seconds that the wait took.

        Raises `ThrottleClosed` and `PauseTooLong`.
        """
        asked_at = time.monotonic()
        with self._changed:
            if self._may_start(asked_at):
                self._in_flight += 1
                return 0.0
            self._waiting += 1
            try:
                self._wait_for_turn(asked_at + longest_s)
            except (ThrottleClosed, PauseTooLong):
                # It may have been woken in place of another.
                self._changed.notify()
                raise
            finally:
                self._waiting -= 1
            self._in_flight += 1
            return time.monotonic() - asked_at

    def release(self, *, succeeded: bool) -> None:
        """Give a turn back. A full round of calls that succeeded raises the limit by one."""
        with self._changed:
            self._in_flight -= 1
            if succeeded and self._limit < self._most:
                self._succeeded += 1
                if self._succeeded >= self._limit:
                    self._succeeded = 0
                    self._limit += 1
            if self._waiting:
                self._changed.notify(2)

    def _may_start(self, now: float) -> bool:
        return self._open_at <= now and self._in_flight < self._limit and not self._closing.is_set()

    def _wait_for_turn(self, ends_at: float) -> None:
        while not self._may_start(now := time.monotonic()):
            if self._closing.is_set():
                raise ThrottleClosed
            paused_s = self._open_at - now
            if now >= ends_at or (self.is_stopping and paused_s > 0):
                raise PauseTooLong(max(0.0, paused_s))
            self._changed.wait(min(ends_at - now, paused_s) if paused_s > 0 else ends_at - now)

    def pushed_back(self, retry_after_s: float | None, *, sent_at: float) -> None:
        """Record that the server asked to slow down, in reply to a call sent at `sent_at` (monotonic seconds).

        Replies to calls sent before the last slowing down lower the limit no further: they say the same thing.
        """
        now = time.monotonic()
        pause_s = PAUSE_WITHOUT_ADVICE_S if retry_after_s is None else retry_after_s
        with self._changed:
            self._pushbacks += 1
            self._succeeded = 0
            longer = now + pause_s > self._open_at + 0.5
            self._open_at = max(self._open_at, now + pause_s)
            if sent_at >= self._slowed_at:
                self._slowed_at = now
                self._limit = max(1, min(self._limit, self._in_flight) // 2)
            limit = self._limit
        if longer and pause_s >= 1:
            self.on_notice(f"the platform asks to wait {pause_s:.0f} s; then {limit} calls at a time")

    def stop_waiting(self, is_stopping: bool) -> None:
        """Let nobody wait for the end of a pause from now on; with False, let them wait again."""
        with self._changed:
            self.is_stopping = is_stopping
            self._changed.notify_all()

    def sleep(self, seconds: float) -> None:
        """Wait, no longer than until `close`. Raises `ThrottleClosed`."""
        if self._closing.wait(seconds):
            raise ThrottleClosed

    def close(self) -> None:
        """Wake and refuse everyone who waits."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
