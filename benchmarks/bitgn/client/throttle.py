"""Throttles the calls of all trials of a process: limits the calls in flight, and delays the next ones.

A push-back of the server delays that call alone. Several push-backs in a row delay all calls: no call starts before the
time that the server names, and the limit falls to half of the calls in flight. Every full round of calls that the
server accepts raises the limit by one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

PAUSE_WITHOUT_ADVICE_S = 0.5
"""The pause after a push-back that names no time, in seconds."""
FOR_EVERYBODY: Final = 3
"""Push-backs in a row, with no accepted call between them, after which all calls wait."""


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
        self.limit = most
        """Calls that may be in flight at once."""
        self.in_flight = 0
        self.is_stopping = False
        """True while no call should wait for the end of a pause."""
        self._most = most
        self._taken = 0
        """Calls of the current round that the server accepted."""
        self._in_a_row = FOR_EVERYBODY - 1  # until the first call is taken
        self._open_at = 0.0
        self._slowed_at = 0.0
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        """Wakes calls that wait for a turn; calls whose own time has not come wait only for `_stopped`."""
        self._stopped = threading.Condition(self._lock)

    @property
    def paused_s(self) -> float:
        """Seconds until the next call may start; 0 if it may start now."""
        return max(0.0, self._open_at - time.monotonic())

    def try_acquire(self, not_before: float = 0.0) -> bool:
        """Take a turn if one is free now and `not_before` (monotonic seconds) has passed."""
        with self._lock:
            may_start = self._may_start(time.monotonic(), not_before)
            self.in_flight += may_start
            return may_start

    def acquire(self, longest_s: float, not_before: float = 0.0) -> float:
        """Wait at most `longest_s` for a turn, not before `not_before`; return the seconds that the wait took.

        Raises `ThrottleClosed` and `PauseTooLong`.
        """
        asked_at = now = time.monotonic()
        with self._lock:
            try:
                while not self._may_start(now, not_before):
                    if self._closing.is_set():
                        raise ThrottleClosed
                    paused_s = max(self._open_at, not_before) - now
                    left_s = asked_at + longest_s - now
                    if left_s <= 0 or (self.is_stopping and paused_s > 0):
                        raise PauseTooLong(max(0.0, paused_s))
                    waking = self._stopped if now < not_before else self._changed
                    waking.wait(min(left_s, paused_s) if paused_s > 0 else left_s)
                    now = time.monotonic()
            except (ThrottleClosed, PauseTooLong):
                self._changed.notify()  # this call may have been woken in place of another
                raise
            self.in_flight += 1
            return now - asked_at

    def _may_start(self, now: float, not_before: float) -> bool:
        is_open = max(self._open_at, not_before) <= now and not self._closing.is_set()
        return is_open and self.in_flight < self.limit

    def release(self, *, is_taken: bool) -> None:
        """Give a turn back; `is_taken` says that the server accepted the call, whatever its result."""
        with self._lock:
            self.in_flight -= 1
            if is_taken:
                self._in_a_row = 0
                self._taken += self.limit < self._most
                if self._taken >= self.limit:
                    self._taken, self.limit = 0, self.limit + 1
            self._changed.notify(2)

    def pushed_back(self, retry_after_s: float | None, *, sent_at: float) -> float:
        """Record a push-back of a call sent at `sent_at`; return when that call may start (monotonic seconds).

        A push-back of a call sent before the limit was last lowered does not lower it again: the cause is the same.
        """
        now = time.monotonic()
        pause_s = PAUSE_WITHOUT_ADVICE_S if retry_after_s is None else retry_after_s
        open_at = now + pause_s
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row < FOR_EVERYBODY:
                return open_at
            is_news = pause_s >= 1 and open_at > self._open_at + 0.5
            self._open_at = max(self._open_at, open_at)
            self._taken = 0
            if sent_at >= self._slowed_at:
                self._slowed_at = now
                self.limit = max(1, min(self.limit, self.in_flight) // 2)
            limit = self.limit
        if is_news:
            self.on_notice(f"the platform asks to wait {pause_s:.0f} s; then {limit} calls at a time")
        return open_at

    def stop_waiting(self, is_stopping: bool) -> None:
        """Let no call wait for the end of a pause from now on; with False, let calls wait again."""
        with self._lock:
            self.is_stopping = is_stopping
            self._changed.notify_all()
            self._stopped.notify_all()

    def sleep(self, seconds: float) -> None:
        """Wait, no longer than until `close`. Raises `ThrottleClosed`."""
        if self._closing.wait(seconds):
            raise ThrottleClosed

    def close(self) -> None:
        """Wake and refuse everyone who waits."""
        self._closing.set()
        self.stop_waiting(self.is_stopping)
