"""The wire server answers whatever it is sent with
a reply or a Connect error, goes on, and ends in order."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import httpx2
import psutil
import pytest
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass

from controlplane import TaskSelection
from controlplane.benchmarks.bitgn.proto import SERVICES
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs.run_limits import RunLimits
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.benchmarks.ecom.shop_environment import WORKER_MODULES
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.bitgn.recording_world import (
    ECOM,
    HARNESS,
    RIGHT_ANSWER,
    Platform,
    Shelf,
    ShelfBenchmark,
    platform,
)
from tests.support.command import wait_until
from tests.support.running_server import running_server

JSON = {"content-type": "application/json"}
KEY = "a key"
LIMIT = 100_000


@pytest.fixture(scope="module")
def served():
    benchmark = ShelfBenchmark()
    with (
        running_server(
            benchmark, ServerOptions(api_key=KEY, body_bytes=LIMIT)
        ) as server,
        httpx2.Client(base_url=server.url, timeout=20) as http,
    ):
        yield http


def call(http, method, message=None, **headers):
    return http.post(
        method, content=json.dumps(message or {}), headers={**JSON, **headers}
    )


def new_trial(http):
    run = call(
        http, HARNESS + "StartRun", {"benchmarkId": "shelf", "name": "n", "apiKey": KEY}
    ).json()
    trial = call(http, HARNESS + "StartTrial", {"trialId": run["trialIds"][0]}).json()
    return trial["harnessUrl"] + ECOM


ZIPPED = {**JSON, "content-encoding": "gzip"}
PROTO = {"content-type": "application/proto"}
EMPTY = gzip.compress(b"{}", mtime=0)
BAD_REQUESTS = [
    # method, path, headers, body, status, code (empty: a refusal of HTTP alone)
    ("POST", HARNESS + "Nothing", JSON, b"{}", 404, ""),
    ("POST", "/", JSON, b"{}", 404, ""),
    ("GET", HARNESS + "Status", {}, b"", 405, ""),
    ("POST", HARNESS + "Status", {}, b"{}", 415, ""),
    ("POST", HARNESS + "Status", {"content-type": "text/html"}, b"{}", 415, ""),
    ("POST", "/bitgn.vm.pcm.PcmRuntime/Read", JSON, b"{}", 404, ""),
    (
        "POST",
        "/trials/none" + ECOM + "Read",
        JSON,
        b'{"path": "/AGENTS.MD"}',
        404,
        "not_found",
    ),
    ("POST", HARNESS + "Status", JSON, b"no json", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"\xff\xfe", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"[]", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b'""', 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b"[" * 50_000, 400, "invalid_argument"),
    (
        "POST",
        HARNESS + "StartRun",
        JSON,
        b'{"name": "\\ud800"}',
        400,
        "invalid_argument",
    ),
    ("POST", HARNESS + "GetRun", PROTO, b"\xff\xff", 400, "invalid_argument"),
    (
        "POST",
        HARNESS + "Status",
        {**JSON, "content-encoding": "br"},
        b"{}",
        501,
        "unimplemented",
    ),
    ("POST", HARNESS + "Status", ZIPPED, b"{}", 400, "invalid_argument"),
    ("POST", HARNESS + "Status", ZIPPED, EMPTY[:-4], 400, "invalid_argument"),
    ("POST", HARNESS + "Status", JSON, b" " * (LIMIT + 1), 429, "resource_exhausted"),
    (
        "POST",
        HARNESS + "Status",
        ZIPPED,
        gzip.compress(b" " * 50_000_000, 1),
        429,
        "resource_exhausted",
    ),
    (
        "POST",
        HARNESS + "Status",
        {**JSON, "connect-timeout-ms": "soon"},
        b"{}",
        400,
        "invalid_argument",
    ),
    ("POST", HARNESS + "GetRun", JSON, b'{"runId": "none"}', 404, "not_found"),
    ("POST", HARNESS + "GetRun", JSON, b'{"runId": 7}', 404, "not_found"),
    ("POST", HARNESS + "GetTrial", JSON, b'{"trialId": "none"}', 404, "not_found"),
    ("POST", HARNESS + "StartTrial", JSON, b"{}", 404, "not_found"),
    ("POST", HARNESS + "EndTrial", JSON, b"{}", 404, "not_found"),
    ("POST", HARNESS + "SubmitRun", JSON, b"{}", 404, "not_found"),
    (
        "POST",
        HARNESS + "GetBenchmark",
        JSON,
        b'{"benchmarkId": "none"}',
        404,
        "not_found",
    ),
    (
        "POST",
        HARNESS + "StartRun",
        JSON,
        b'{"benchmarkId": "shelf", "apiKey": "wrong"}',
        401,
        "unauthenticated",
    ),
    (
        "POST",
        HARNESS + "StartRun",
        JSON,
        b'{"benchmarkId": "shelf"}',
        401,
        "unauthenticated",
    ),
    ("POST", HARNESS + "StartPlayground", JSON, b"{}", 501, "unimplemented"),
]


@pytest.mark.parametrize(
    ("verb", "path", "headers", "body", "status", "code"),
    BAD_REQUESTS,
    ids=map(str, range(len(BAD_REQUESTS))),
)
def test_a_bad_request_is_answered_with_a_connect_error(
    served, verb, path, headers, body, status, code
):
    reply = served.request(verb, path, headers=headers, content=body)
    assert reply.status_code == status
    assert KEY not in reply.text
    if code:
        assert reply.headers["content-type"] == "application/json"
        assert reply.json()["code"] == code
        assert reply.json()["message"]


def test_a_body_that_unpacks_too_long_is_not_unpacked(served):
    packed = gzip.compress(b" " * 50_000_000, 1)
    tracemalloc.start()
    try:
        assert (
            served.post(HARNESS + "Status", content=packed, headers=ZIPPED).status_code
            == 429
        )
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_an_unannounced_body_that_grows_too_long_is_refused(served):
    chunks = (b" " * 10_000 for _ in range(1_000))
    with contextlib.suppress(httpx2.WriteError):
        assert (
            served.post(HARNESS + "Status", content=chunks, headers=JSON).status_code
            == 429
        )

    assert call(served, HARNESS + "Status").json()["status"] == "ok"


@pytest.mark.parametrize(
    "request_text",
    [
        b"",
        b"GARBAGE\r\n\r\n",
        b"POST / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{",
        b"\x16\x03\x01\x02",
    ],
)
def test_a_client_that_vanishes_or_talks_nonsense_is_survived(served, request_text):
    with socket.create_connection(
        (served.base_url.host, served.base_url.port)
    ) as client:
        client.sendall(request_text)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    assert call(served, HARNESS + "Status").json()["status"] == "ok"


def test_a_request_of_a_vanished_client_is_carried_out_and_the_trial_goes_on(served):
    runtime = new_trial(served)
    path = runtime.removeprefix(str(served.base_url).rstrip("/"))
    body = b'{"path":"/left.txt","content":"x"}'
    head = f"POST {path}Write HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(
        (served.base_url.host, served.base_url.port)
    ) as client:
        client.sendall(head.encode() + body)
    ends_at = time.monotonic() + 5
    while (
        reply := call(served, runtime + "Read", {"path": "/left.txt"})
    ).status_code != 200:
        assert time.monotonic() < ends_at

    assert reply.json()["content"] == "x"


def test_a_tree_that_is_too_large_comes_with_fewer_levels(served, monkeypatch):
    known = Shelf.call

    def bounded(shelf, operation, arguments):
        if operation == "tree" and arguments["level"] != 1:
            raise CallError("resource_exhausted", "the result of tree holds too much")
        return known(shelf, operation, arguments)

    monkeypatch.setattr(Shelf, "call", bounded)
    runtime = new_trial(served)
    whole, cut = (
        call(served, runtime + "Tree", {"root": "/", "level": level}).json()
        for level in (1, 0)
    )

    assert "truncated" not in whole
    assert cut == {**whole, "truncated": True}


REQUESTS = {
    "Tree": {"root": "/", "level": 2},
    "Find": {"root": "/", "name": "*", "limit": 5},
    "Search": {"root": "/", "pattern": "Emma", "limit": 5},
    "Read": {"path": "/books/emma.json"},
    "Write": {"path": "/books/new.json", "content": "{}"},
    "Delete": {"path": "/books/été.json"},
    "Answer": {"message": "Emma", "outcome": "OUTCOME_OK"},
    "List": {"path": "/"},
    "Stat": {"path": "/books/emma.json"},
    "Exec": {"path": "/bin/date"},
}


def test_every_method_replies_with_its_message_in_both_encodings(served):
    methods = SERVICES[ECOM.strip("/")].methods_by_name
    in_json, in_protobuf = new_trial(served), new_trial(served)

    assert set(methods) == set(REQUESTS)
    for name, fields in REQUESTS.items():
        request, reply = (
            GetMessageClass(getattr(methods[name], kind))()
            for kind in ("input_type", "output_type")
        )
        told = call(served, in_json + name, fields)
        assert told.status_code == 200, (name, told.text)
        sent = served.post(
            in_protobuf + name,
            content=ParseDict(fields, request).SerializeToString(),
            headers={"content-type": "application/proto"},
        )
        assert sent.status_code == 200, (name, sent.text)
        reply.ParseFromString(sent.content)
        assert MessageToDict(reply) == MessageToDict(
            ParseDict(told.json(), GetMessageClass(reply.DESCRIPTOR)())
        ), name


def test_a_call_that_outlasts_the_announced_deadline_is_answered_at_the_deadline():
    with (
        running_server(
            ShelfBenchmark(call_s=0.6), ServerOptions(api_key=KEY)
        ) as server,
        httpx2.Client(base_url=server.url) as http,
    ):
        runtime = new_trial(http)
        began = time.monotonic()
        reply = call(
            http,
            runtime + "Read",
            {"path": "/AGENTS.MD"},
            **{"connect-timeout-ms": "100"},
        )
        assert (reply.status_code, reply.json()["code"]) == (504, "deadline_exceeded")
        assert time.monotonic() - began < 0.5
        # The next call waits for the one that goes on, so that a trial's world is never
        # used by two at once.
        assert call(http, runtime + "Read", {"path": "/AGENTS.MD"}).status_code == 200


SERVE = """
from controlplane.benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
serve(ShelfBenchmark(call_s=0.3), ServerOptions(), on_listening=lambda url: print(url, flush=True))
print("ended", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(number):
    with subprocess.Popen(
        [sys.executable, "-c", SERVE],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        with httpx2.Client(base_url=url) as http:
            assert http.post(HARNESS + "Status", json={}).json()["status"] == "ok"
            process.send_signal(number)
            out, err = process.communicate(timeout=20)

    assert (process.returncode, out, err) == (0, "ended\n", "")


@pytest.mark.parametrize("fault", ["hangs", "breaks"])
def test_the_server_serves_and_ends_while_the_ending_of_idle_runs(fault, monkeypatch):
    released, tries = threading.Event(), []

    def end_idle(limits, longest_s):
        tries.append(longest_s)
        if fault == "hangs":
            released.wait(20)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(RunLimits, "end_idle", end_idle)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            wait_until(lambda: len(tries) >= (1 if fault == "hangs" else 2))
            assert (
                httpx2.post(server.url + HARNESS + "Status", json={}).status_code == 200
            )
        finally:
            released.set()


@pytest.mark.parametrize("body", [b"", b"{"], ids=["head", "body"])
def test_a_client_that_stalls_costs_only_itself(body, monkeypatch):
    monkeypatch.setattr(bounds, "LONGEST_BODY_S", 0.5)
    head = f"POST {HARNESS}Status HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    with (
        running_server(ShelfBenchmark(), ServerOptions()) as server,
        contextlib.ExitStack() as stack,
    ):
        place = ("127.0.0.1", httpx2.URL(server.url).port)
        clients = [
            stack.enter_context(socket.create_connection(place, timeout=10))
            for _ in range(50)
        ]
        for client in clients:
            client.sendall(head.encode() + (b"\r\n" + body if body else b""))
        began = time.monotonic()
        assert httpx2.post(server.url + HARNESS + "Status", json={}).status_code == 200
        assert time.monotonic() - began < 5
        if body:
            for client in clients:
                said = b""
                while b"deadline_exceeded" not in said:
                    said += client.recv(4096)
                    assert said


@pytest.fixture(scope="module")
def serving():
    with platform() as calls:
        yield calls


def finished(calls: Platform, answers: int):
    """Answer the first trials rightly, leave the next
    one without an answer and the last one open."""
    run = calls.run()
    for number, trial_id in enumerate(run["trialIds"][:-1]):
        runtime = calls.start(trial_id)
        if number < answers:
            calls.answer(runtime, **RIGHT_ANSWER)
        calls("EndTrial", trialId=trial_id)
    return run


def test_open_trials_stand_in_the_way_unless_the_submission_is_forced(serving):
    run = finished(serving, answers=1)
    refused = serving("SubmitRun", runId=run["runId"])

    assert refused["code"] == "failed_precondition"
    assert serving("GetRun", runId=run["runId"])["state"] == "RUN_STATE_RUNNING"
    submitted = serving("SubmitRun", runId=run["runId"], force=True)
    assert submitted["state"] == "RUN_STATE_EVALUATED"
    assert submitted["score"] == pytest.approx(1 / 3)
    right, unanswered, forced = submitted["trials"]
    common = {"scoreAvailable": True}
    assert right == common | {
        "trialId": run["trialIds"][0],
        "taskId": "t00",
        "state": "TRIAL_STATE_DONE",
        "score": 1,
    }
    assert unanswered == common | {
        "trialId": run["trialIds"][1],
        "taskId": "t01",
        "num": 1,
        "state": "TRIAL_STATE_DONE",
        "score": 0,
        "scoreDetail": ["no answer provided"],
    }
    assert forced == common | {
        "trialId": run["trialIds"][2],
        "taskId": "t02",
        "num": 2,
        "state": "TRIAL_STATE_ERROR",
        "score": 0,
        "error": "forced close",
    }


def test_scores_that_the_benchmark_has_only_later_are_pending_until_then():
    with platform(ShelfBenchmark(pending_polls=2)) as calls:
        run = finished(calls, answers=1)
        assert (
            calls("SubmitRun", runId=run["runId"], force=True)["state"]
            == "RUN_STATE_PENDING_EVAL"
        )
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_PENDING_EVAL"
        assert calls("GetRun", runId=run["runId"])["state"] == "RUN_STATE_EVALUATED"


def test_every_trial_has_an_worker_from_its_first_tool_to_its_end_and_calls_at_once_lose_no_change():
    this = psutil.Process()
    before = set(this.children())
    options = {"selection": TaskSelection(limit=2), "worker_modules": WORKER_MODULES}
    with (
        platform(EcomBenchmark(), **options) as calls,
        ThreadPoolExecutor(8) as threads,
    ):
        run = calls("StartRun", benchmarkId="ecom")
        runtimes = [calls.start(trialId) for trialId in run["trialIds"]]

        def write(number: int) -> None:
            calls.http.post(
                runtimes[number % 2] + "Write",
                json={"path": f"/tmp/{number}", "content": f"{number}"},
            )

        list(threads.map(write, range(40)))
        endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
        overrun = calls.http.post(
            runtimes[0] + "Exec", json={"path": "/bin/sql", "args": [endless]}
        ).json()
        assert overrun.get("code") == "resource_exhausted" or overrun.get("stderr"), (
            "where there is no SQL, it says so"
        )
        for runtime in runtimes:
            calls.http.post(
                runtime + "Exec",
                json={"path": "/bin/cat", "args": ["/tmp/0", "/tmp/1"]},
            )
        for trial, runtime in enumerate(runtimes):
            listed = calls.http.post(runtime + "List", json={"path": "/tmp"}).json()[
                "entries"
            ]
            assert {entry["name"] for entry in listed} >= {
                str(number) for number in range(40) if number % 2 == trial
            }
        (server,) = set(this.children()) - before
        running = set(server.children())
        for trial_id in run["trialIds"]:
            calls("EndTrial", trialId=trial_id)
        assert len(running - set(server.children())) == 2

    assert set(this.children()) == before


def test_a_run_that_nobody_calls_ends():
    options = {
        "selection": TaskSelection(limit=2),
        "worker_modules": WORKER_MODULES,
        "idle_s": 1.0,
    }
    with platform(EcomBenchmark(), **options) as calls:
        run = calls("StartRun", benchmarkId="ecom")
        calls.http.post(calls.start(run["trialIds"][0]) + "List", json={"path": "/"})
        for _ in range(8):
            time.sleep(2.5)  # Asking is a call too.
            ended = calls("GetRun", runId=run["runId"])
            if ended["state"] == "RUN_STATE_EVALUATED":
                break
        assert (ended["state"], ended["stats"]) == (
            "RUN_STATE_EVALUATED",
            {"errorCount": 2},
        )
        assert calls("GetTrial", trialId=run["trialIds"][0])["error"] == "forced close"


def test_too_many_running_trials_and_kept_bytes_end_the_runs_of_others_alone(
    monkeypatch,
):
    monkeypatch.setattr(bounds, "MOST_RUNNING_TRIALS", 3)
    monkeypatch.setattr(bounds, "MOST_WIRE_SERVER_BYTES", 100_000)
    with platform(ShelfBenchmark(trials=4)) as calls:
        left, own = calls.run(), calls.run()
        calls.start(left["trialIds"][0])
        runtimes = [calls.start(trial_id) for trial_id in own["trialIds"]]
        assert calls("GetRun", runId=left["runId"])["state"] == "RUN_STATE_EVALUATED"
        assert calls("GetRun", runId=own["runId"])["stats"] == {"runningCount": 4}
        sizes = [
            calls.http.post(
                runtime + "Write", json={"path": "/a", "content": "x" * 40_000}
            )
            for runtime in runtimes
        ]
        assert [reply.status_code for reply in sizes] == [200, 200, 429, 429]
        calls("EndTrial", trialId=own["trialIds"][0])
        assert calls.answer(runtimes[1], **RIGHT_ANSWER) == {}


def test_runs_and_trials_have_ids_that_nobody_can_guess_and_that_say_nothing():
    selection = TaskSelection(("calendar-date",))
    with platform(EcomBenchmark(), selection=selection, seed=77) as calls:
        runs = [calls("StartRun", benchmarkId="ecom") for _ in range(20)]
        ids = [trialId for run in runs for trialId in (run["runId"], *run["trialIds"])]
        assert len(set(ids)) == 40
        assert all(len(any_id) == 20 and "calendar" not in any_id for any_id in ids)
        assert (
            len({any_id[:5] for any_id in ids})
            == len({any_id[-5:] for any_id in ids})
            == 40
        )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("EndTrial", ("already_exists", "has already ended")),
        ("StartTrial", ("failed_precondition", "has already ended")),
        ("Answer", ("failed_precondition", "has already ended")),
        ("Read", ("failed_precondition", "has already ended")),
    ],
)
def test_a_trial_that_has_ended_takes_nothing_more(serving, method, expected):
    first = serving.run()["trialIds"][0]
    runtime = serving.start(first)
    serving("EndTrial", trialId=first)
    if method in ("Answer", "Read"):
        said = serving.http.post(runtime + method, json={"path": "/AGENTS.MD"}).json()
    else:
        said = serving(method, trialId=first)

    assert said["code"] == expected[0]
    assert expected[1] in said["message"]


@pytest.mark.parametrize(
    "outcome", [None, "OUTCOME_UNSPECIFIED", 0, 77, "OUTCOME_FINE"]
)
def test_an_answer_needs_one_of_the_five_outcomes(serving, outcome):
    runtime = serving.start(serving.run()["trialIds"][0])
    fields = (
        {"message": "Emma"}
        if outcome is None
        else {"message": "Emma", "outcome": outcome}
    )

    assert serving.answer(runtime, **fields)["code"] == "invalid_argument"
    assert serving.answer(runtime, **RIGHT_ANSWER) == {}
