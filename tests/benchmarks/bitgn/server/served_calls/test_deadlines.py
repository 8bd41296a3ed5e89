"""Calls of a trial on the server whose client waits only so long, as it announces.

The header `connect-timeout-ms: 100` announces a deadline of 0.1 s.
"""

import threading

import httpx2

from tests.benchmarks.bitgn.server.wire_calls import OPTIONS, call, start_trial
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.running_server import running_server


def test_call_that_exceeds_its_deadline_is_answered_at_the_deadline() -> None:
    """The environment keeps all calls waiting until the first one was answered.

    1. A client calls, and announces that it waits for 0.1 s. It gets its reply at that time.
    2. The call goes on, and may end now. The next call waits for it, because a trial's
       environment must never get two calls at once: `Shelf` would refuse the second.
    """
    may_end = threading.Event()
    with (
        running_server(ShelfBenchmark(calls_may_end=may_end), OPTIONS) as server,
        httpx2.Client(base_url=server.url) as http,
    ):
        read_url = start_trial(http) + "Read"
        rules = {"path": "/AGENTS.MD"}
        short_deadline = {"connect-timeout-ms": "100"}

        late_reply = call(http, read_url, rules, **short_deadline)
        may_end.set()
        next_reply = call(http, read_url, rules)

    assert late_reply.status_code == 504
    assert late_reply.json()["code"] == "deadline_exceeded"
    assert next_reply.status_code == 200
