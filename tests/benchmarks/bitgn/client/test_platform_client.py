"""A call is repeated as its policy says: how long, and how often where it may have happened."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmarks.bitgn.client.platform_client import PlatformClient, Throttle, WireError
from tests.benchmarks.bitgn import byte_server
from tests.benchmarks.bitgn.byte_server import Behaviour, reply, stub

DONE = reply(b'{"done": true}')
REFUSED = reply(b'{"code": "unavailable", "message": "later"}', status="503 X")
CANCELED = reply(b'{"code": "canceled", "message": "the server stops"}', status="499 X")
INTERNAL = reply(b'{"code": "internal", "message": "a fault"}', status="500 X")
BARE = reply(b"<h1>Down</h1>", status="503 X", kind="text/html")
MISSING = reply(b'{"code": "not_found", "message": "none"}', status="404 X")
ALREADY = reply(b'{"code": "already_exists", "message": "already answered"}', status="409 X")
BUSY = reply(b'{"code": "resource_exhausted", "message": "slow"}', status="429 X", headers="Retry-After: 0.3\r\n")


def lose(client: socket.socket, _: bytes) -> None:
    client.shutdown(socket.SHUT_RDWR)


class Script:
    """Answers the first calls with these, and every later one with the last."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)
        self.calls = 0

    def __call__(self, client: socket.socket, request: bytes) -> None:
        behave = self.behaviours[min(self.calls, len(self.behaviours) - 1)]
        self.calls += 1
        behave(client, request)


def call(script: Script, look=None, **policy):
    with stub(script) as (url, _):
        return byte_server.call(url, look=look, **({"deadline_s": 2.0, "retry_s": 5.0} | policy))


@pytest.mark.parametrize(
    ("script", "policy", "calls"),
    [
        (Script(DONE), {}, 1),
        (Script(REFUSED, REFUSED, DONE), {}, 3),
        (Script(REFUSED, REFUSED, DONE), {"doubts": 0}, 3),
        (Script(lose, lose, DONE), {}, 3),
        (Script(lose, DONE), {"doubts": 1}, 2),
        (Script(BARE, BARE, DONE), {}, 3),
        (Script(BARE, BARE, BARE, DONE), {"doubts": 1, "trusts_bare_503": True}, 4),
        (Script(INTERNAL, DONE), {}, 2),
        (Script(CANCELED, DONE), {}, 2),
        (Script(BUSY, BUSY, DONE), {"retry_s": 0.25}, 3),
    ],
)
def test_a_passing_failure_is_repeated_until_success(script, policy, calls):
    assert call(script, **policy) == {"done": True}
    assert script.calls == calls


@pytest.mark.parametrize(
    ("script", "policy", "calls", "code", "in_doubt"),
    [
        (Script(MISSING), {}, 1, "not_found", False),
        (Script(lose), {"doubts": 0}, 1, "unavailable", True),
        (Script(lose), {"doubts": 1}, 2, "unavailable", True),
        (Script(BARE), {"doubts": 1}, 2, "unavailable", True),
        (Script(REFUSED, lose, DONE), {"doubts": 0}, 2, "unavailable", True),
        (Script(INTERNAL), {}, 3, "internal", True),
        (Script(CANCELED), {}, 3, "canceled", True),
        (Script(CANCELED), {"doubts": 0}, 1, "canceled", True),
        (Script(ALREADY), {"already_is_done": True}, 1, "already_exists", False),
        # It was refused in the end, but the attempt before may have happened all the same.
        (Script(lose, MISSING), {}, 2, "not_found", True),
    ],
)
def test_a_failure_that_is_final_or_must_not_be_repeated_is_raised(script, policy, calls, code, in_doubt):
    with pytest.raises(WireError) as raised:
        call(script, **policy)
    assert (script.calls, raised.value.code, raised.value.in_doubt) == (calls, code, in_doubt)


def test_already_counts_as_done_only_after_a_lost_reply():
    script = Script(lose, ALREADY)
    assert call(script, already_is_done=True) == {}
    assert script.calls == 2


def test_patience_ends_a_failure():
    script = Script(REFUSED)
    began = time.monotonic()
    with pytest.raises(WireError):
        call(script, retry_s=0.5)
    assert 0.4 < time.monotonic() - began < 4
    assert script.calls > 1


def test_a_call_that_may_have_happened_is_looked_at_before_it_is_repeated():
    seen = []

    def look():
        seen.append("looked")
        return {"found": True}

    script = Script(lose, DONE)
    assert call(script, look) == {"found": True}
    assert (script.calls, seen) == (1, ["looked"])


def test_a_look_that_finds_nothing_leads_to_a_repetition():
    script = Script(lose, lose, DONE)
    looks = []
    assert call(script, lambda: looks.append(1)) == {"done": True}
    assert (script.calls, len(looks)) == (3, 2)


def test_calls_that_one_thread_has_begun_go_on_side_by_side():
    def behave(client: socket.socket, request: bytes) -> None:
        time.sleep(0.1)
        DONE(client, request)

    with stub(behave) as (url, requests):
        client = PlatformClient(Throttle(256))
        began = time.monotonic()
        calls = [byte_server.to_call(url, client, {"number": number}).begin() for number in range(24)]
        assert [call.finish() for call in calls] == [{"done": True}] * 24
        took_s = time.monotonic() - began
        client.close()
    assert took_s < 1.2
    assert len(requests) == 24


def test_a_call_that_waits_for_a_turn_gets_the_turn_of_a_call_that_its_thread_has_sent():
    with stub(DONE) as (url, requests):
        client = PlatformClient(Throttle(1))
        byte_server.make(url, client)  # leaves an idle connection
        sent, waiting = (byte_server.to_call(url, client, retry_s=5.0).begin() for _ in range(2))
        assert [waiting.finish(), sent.finish()] == [{"done": True}] * 2
        client.close()
    assert len(requests) == 3


def test_no_call_leaves_once_its_trial_has_ended():
    arrived = []

    def hang(client: socket.socket, request: bytes) -> None:
        arrived.append(request)
        time.sleep(1)

    with stub(hang) as (url, _):
        client = PlatformClient(Throttle(2))
        call = byte_server.to_call(url, client, deadline_s=0.2, retry_s=5.0)
        begun = call.begin()
        time.sleep(0.1)
        call.service.is_closed = True
        with pytest.raises(WireError, match="its trial has ended") as raised:
            begun.finish()
        assert (raised.value.code, raised.value.in_doubt, len(arrived)) == ("canceled", True, 1)
        client.close()


def test_a_push_back_halves_the_limit_and_accepted_rounds_raise_it_again():
    throttle = Throttle(8)
    for _ in range(8):
        throttle.acquire(1.0)
    throttle.push_back(None, sent_at=time.monotonic())
    throttle.push_back(None, sent_at=0.0)  # of a call that was on its way before
    assert throttle.limit == 4
    for _ in range(8):
        throttle.release(is_accepted=False)
    limits = []
    for _ in range(4 + 5 + 6 + 7 + 10):
        throttle.acquire(1.0)
        throttle.release(is_accepted=True)
        limits.append(throttle.limit)
    assert [limits.count(limit) for limit in (4, 5, 6, 7)] == [3, 5, 6, 7]
    assert limits[-1] == 8


def test_no_more_calls_are_in_flight_than_the_limit_and_none_before_the_named_time():
    notices, seen = [], []
    throttle = Throttle(2, on_notice=notices.append)
    began = time.monotonic()
    throttle.push_back(1.0, sent_at=began)

    def work(_: int) -> None:
        throttle.acquire(10.0)
        seen.append((throttle.in_flight, time.monotonic() - began))
        throttle.release(is_accepted=False)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert max(count for count, _ in seen) == 1
    assert min(after_s for _, after_s in seen) >= 1.0
    assert notices == ["the platform asks to wait 1 s; then 1 calls at a time"]
