"""The server says where it listens, ends in order on a signal, and names an address that it cannot have."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx2
import pytest

from benchmarks.bitgn.server import ServerOptions, listening
from benchmarks.bitgn.server.served_runs import ServedRuns
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.support.command import wait_until
from tests.support.running_server import running_server

SERVE = """
from benchmarks.bitgn.server import ServerOptions, serve
from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
serve(ShelfBenchmark(call_s=0.3), ServerOptions(), on_listening=lambda url: print(url, flush=True))
print("ended", flush=True)
"""
HARNESS = "/bitgn.harness.HarnessService/"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_in_order(number):
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
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

    def end_idle(runs, longest_s):
        tries.append(longest_s)
        if fault == "hangs":
            released.wait(20)
        raise RuntimeError("the benchmark broke")

    monkeypatch.setattr(ServedRuns, "end_idle", end_idle)
    with running_server(ShelfBenchmark(), ServerOptions()) as server:
        try:
            wait_until(lambda: len(tries) >= (1 if fault == "hangs" else 2))
            assert httpx2.post(server.url + HARNESS + "Status", json={}).status_code == 200
        finally:
            released.set()


@pytest.mark.parametrize("body", [b"", b"{"], ids=["head", "body"])
def test_a_client_that_stalls_costs_only_itself(body, monkeypatch):
    monkeypatch.setattr(listening, "BODY_S", 0.5)
    head = f"POST {HARNESS}Status HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    with running_server(ShelfBenchmark(), ServerOptions()) as server, contextlib.ExitStack() as stack:
        place = ("127.0.0.1", httpx2.URL(server.url).port)
        clients = [stack.enter_context(socket.create_connection(place, timeout=10)) for _ in range(50)]
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
