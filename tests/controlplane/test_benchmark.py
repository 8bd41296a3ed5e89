"""The signal that stops a run, and who hears of it."""

from __future__ import annotations

import threading

from controlplane.benchmark import StopSignal


def test_listeners_are_told_of_every_change() -> None:
    signal, told = StopSignal(), []
    signal.listen(told.append)
    signal.set()
    signal.clear()
    assert told == [True, False]
    assert not signal.is_set()


def test_who_listens_late_is_told_of_a_signal_that_is_set() -> None:
    signal, told = StopSignal(), []
    signal.set()
    signal.listen(told.append)
    assert told == [True]


def test_setting_it_ends_a_wait() -> None:
    signal = StopSignal()
    threading.Timer(0.01, signal.set).start()
    assert signal.wait(20)
