"""How many runtime calls a second the wire server answers on one core, beside a bare application that only echoes.

Server and load each have a core of their own; without a second core the figures are lower.
"""

import asyncio
import json
import multiprocessing
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import uvicorn

from benchmarks.bitgn.server import ServerOptions, serve
from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane import TaskSelection

CALLS = (
    ("Read", {"path": "/docs/security.md"}),
    ("List", {"path": "/proc"}),
    ("Exec", {"path": "/bin/id"}),
    ("Stat", {"path": "/AGENTS.MD"}),
    ("Find", {"root": "/docs", "name": "*.md", "limit": 5}),
)


TURNS = 5
"""How often the two applications take turns."""


async def echo(scope, receive, send) -> None:
    """Send the body back: the least that an application under the same server can do."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": bytes(body)})


def serve_echo(tell: Connection) -> None:
    with pinned(0), socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(2048)
        tell.send(listener.getsockname()[1])
        config = uvicorn.Config(echo, http="h11", loop="asyncio", lifespan="off", log_config=None, access_log=False)
        uvicorn.Server(config).run(sockets=[listener])


def serve_world(tell: Connection) -> None:
    benchmark = EcomBenchmark()
    options = ServerOptions(selection=TaskSelection(limit=5))
    with pinned(0):
        serve(benchmark, options, on_listening=lambda url: tell.send(int(url.rpartition(":")[2])))


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """Keep this process on one of its cores for as long as the block lasts."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(cores)[core % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def running(target: Callable[[Connection], None]) -> Iterator[int]:
    """Run a server in a process of its own for as long as the block lasts; yield its port."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=target, args=(there,))
    process.start()
    try:
        if not here.poll(60):
            msg = "the server did not start in 60 s"
            raise TimeoutError(msg)
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def request_bytes(path: str, message: dict[str, object]) -> bytes:
    body = json.dumps(message).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def call(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bytes:
    """Make one call over a kept connection and return the reply's body."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    if b"transfer-encoding: chunked" in head.lower():
        body = b""
        while length := int((await reader.readline()).strip(), 16):
            body += (await reader.readexactly(length + 2))[:-2]
        await reader.readline()
        return body
    return await reader.readexactly(int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]))


async def rate(port: int, requests: list[bytes], *, connections: int, seconds: float) -> float:
    """Return calls a second over so many connections at once."""
    ends_at = time.perf_counter() + seconds
    done = 0

    async def client(offset: int) -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        number = offset
        while time.perf_counter() < ends_at:
            await call(reader, writer, requests[number % len(requests)])
            done += 1
            number += 1
        writer.close()

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(connections)))
    return done / (time.perf_counter() - began)


async def start_trials(port: int) -> list[str]:
    """Start a run and return the paths of its trials' runtimes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
    service = "/bitgn.harness.HarnessService/"
    asked = request_bytes(f"{service}StartRun", {"benchmarkId": "ecom", "name": "bench"})
    run = json.loads(await call(reader, writer, asked))
    paths = []
    for trial_id in run["trialIds"]:
        started = json.loads(await call(reader, writer, request_bytes(f"{service}StartTrial", {"trialId": trial_id})))
        paths.append(started["harnessUrl"].partition("//bench")[2] + "/bitgn.vm.ecom.EcomRuntime/")
    writer.close()
    return paths


def measured(*, connections: int, seconds: float) -> dict[str, float]:
    """Return calls a second of both applications, and what share of the bare one's rate the real one keeps.

    They take turns, so that whatever else the machine does hits both.
    """
    bare, wire = 0.0, 0.0
    with running(serve_echo) as echo_port, running(serve_world) as port, pinned(1):
        bodies = [request_bytes("/", message) for _, message in CALLS]
        paths = asyncio.run(start_trials(port))
        calls = [request_bytes(path + method, message) for method, message in CALLS for path in paths]
        for _ in range(TURNS):
            bare += asyncio.run(rate(echo_port, bodies, connections=connections, seconds=seconds / TURNS)) / TURNS
            wire += asyncio.run(rate(port, calls, connections=connections, seconds=seconds / TURNS)) / TURNS
    return {"echo_calls_per_s": round(bare), "wire_calls_per_s": round(wire), "share": round(wire / bare, 3)}
