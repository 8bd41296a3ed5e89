import pytest

from sandbox.parent import cpu_share
from sandbox.parent.cpu_share import BURST_S, LONGEST_WAIT_S, SHARE, CpuShare


@pytest.fixture
def waits(monkeypatch):
    """The waits so far; the clock stands still but for them."""
    waited = []

    class Clock:
        monotonic = staticmethod(lambda: 100.0 + sum(waited))
        sleep = staticmethod(waited.append)

    monkeypatch.setattr(cpu_share, "time", Clock)
    return waited


def test_a_burst_waits_for_nothing(waits):
    share = CpuShare()
    for _ in range(10):
        share.take(BURST_S / 10.01)
    assert not waits


def test_what_is_taken_beyond_it_is_a_share_of_the_time(waits):
    share = CpuShare()
    for _ in range(1_000):
        share.take(0.01)
    assert (10.0 - BURST_S) / sum(waits) == pytest.approx(SHARE, rel=0.01)


def test_no_wait_is_long(waits):
    CpuShare().take(60.0)
    assert waits == [LONGEST_WAIT_S]


def test_who_has_waited_has_a_burst_again(waits):
    share = CpuShare()
    share.take(BURST_S)
    waits.append(BURST_S / SHARE)
    share.take(BURST_S * 0.99)
    assert len(waits) == 1
