"""Calls of a trial on the server whose client waits only so long, as it announces.

The header `connect-timeout-ms: 100` announces a deadline of 0.1 s. `Shelf` is the environment of a
trial: a few books as files.
"""

import threading
from collections.abc import Mapping

import httpx2
import pytest

from controlplane.sandbox.interface import Plain
from tests.benchmarks.bitgn.server.wire_calls import call, start_trial
from tests.benchmarks.bitgn.shelf import Shelf


def test_call_that_exceeds_its_deadline_is_answered_at_the_deadline(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call goes on behind its deadline, and may end then.

    The next call waits for it, because a trial's environment must never get two calls at once:
    `Shelf` would refuse the second.
    """
    may_end = threading.Event()
    real_result_of = Shelf.result_of

    def wait_for_result(
        shelf: Shelf, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        may_end.wait(20)
        return real_result_of(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "result_of", wait_for_result)
    read_url = start_trial(http) + "Read"
    rules = {"path": "/AGENTS.MD"}

    late_reply = call(http, read_url, rules, **{"connect-timeout-ms": "100"})
    may_end.set()
    next_reply = call(http, read_url, rules)

    assert late_reply.status_code == 504
    assert late_reply.json()["code"] == "deadline_exceeded"
    assert next_reply.status_code == 200
