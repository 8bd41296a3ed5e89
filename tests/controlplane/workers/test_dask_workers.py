"""Workers of a Dask cluster: who is heard as one, and runs on real ones, of which some are killed."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from controlplane.configuration.run_settings import ModelSettings, RunSettings
from controlplane.journal.journal_content import open_journal
from controlplane.replay.verification import verify
from controlplane.workers import dask_workers
from controlplane.workers.channel import Connection, Orders, Report
from controlplane.workers.dask_workers import ChannelListener
from tests.support.command import Result, check_line, controlplane, started, wait_until
from tests.support.dask_processes import DaskProcesses, dask_processes
from tests.support.in_process_command import inside
from tests.support.many_trials import SCRIPT
from tests.support.timeless_journal import timeless

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)
import psutil

KEYS = {"MODEL_KEY": "s3cr3t"}


@contextmanager
def channel(context: ssl.SSLContext | None = None) -> Iterator[tuple[ChannelListener, tuple[str, int]]]:
    """A channel that listens here, and its address. Whoever is heard is let go at once."""
    listener = ChannelListener(("127.0.0.1", 0), context, KEYS, lambda worker: worker.connection.close())
    with closing(listener):
        yield listener, ("127.0.0.1", urlsplit(listener.url).port or 0)


def said_to(sent: bytes, address: tuple[str, int], context: ssl.SSLContext | None = None) -> dict[str, str] | None:
    """The keys that a peer is told who sends this; None if it is told nothing."""
    peer = socket.create_connection(address, timeout=10)
    try:
        peer = context.wrap_socket(peer) if context else peer
        peer.sendall(sent)
        return Connection(peer, silence_s=10).receive(Orders)[0].keys
    except (ConnectionError, ssl.SSLError):
        return None
    finally:
        peer.close()


class Opens:
    """Makes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (self.path,)


def test_a_peer_that_does_not_show_an_unused_token_is_told_nothing(tmp_path: Path) -> None:
    with channel() as (listener, address):
        token = listener.token_for("here", 3).encode()
        assert said_to(pickle.dumps(Opens(tmp_path / "file")).ljust(64, b"."), address) is None
        assert said_to(b"0" * 64, address) is None
        assert said_to(b'\0\0\0\x40{"number": 0, "events": [["", {}, {"type": "notice"}]]}'.ljust(70), address) is None
        assert said_to(b"\xff" * 4096, address) is None
        assert said_to(token, address) == KEYS
        assert said_to(token, address) is None
    assert not (tmp_path / "file").exists()


def certified() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What a run listens with, and what its worker connects with, which looks at no certificate."""
    from distributed.security import Security

    made = Security.temporary()
    worker: ssl.SSLContext = made.get_connection_args("worker")["ssl_context"]
    worker.verify_mode = ssl.CERT_NONE
    return made.get_listen_args("client")["ssl_context"], worker


def test_a_peer_of_another_authority_is_told_nothing() -> None:
    (run, worker), (_, other) = certified(), certified()
    with channel(run) as (listener, address):
        token = listener.token_for("here", 1).encode()
        assert said_to(token, address) is None
        assert said_to(token, address, other) is None
        assert said_to(token, address, worker) == KEYS


def connected(silence_s: float | None, *, is_encrypted: bool) -> tuple[Connection, Connection]:
    """Both ends of a connection."""
    ends = list(socket.socketpair())
    if is_encrypted:
        run, worker = certified()
        with ThreadPoolExecutor(1) as thread:
            shaken = thread.submit(run.wrap_socket, ends[0], server_side=True)
            ends = [worker.wrap_socket(ends[1]), shaken.result(10)]
    return Connection(ends[0], silence_s=silence_s), Connection(ends[1], silence_s=silence_s)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_both_ends_of_a_connection_tell_much_at_the_same_time(is_encrypted: bool) -> None:
    ends, report, lines = connected(1, is_encrypted=is_encrypted), Report(number=7), [b"x" * 50_000] * 200
    with ThreadPoolExecutor(4) as threads, closing(ends[0]), closing(ends[1]):
        sent = [threads.submit(end.send, report, lines) for end in ends]
        received = [threads.submit(end.receive, Report) for end in ends]
        assert [done.result(10) for done in received] == [(report, lines)] * 2
        assert [done.result(10) for done in sent] == [None] * 2
        with pytest.raises(TimeoutError):
            ends[0].receive(Report)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_the_end_of_a_connection_wakes_who_waits_on_it(is_encrypted: bool) -> None:
    here, there = connected(None, is_encrypted=is_encrypted)
    with ThreadPoolExecutor(2) as threads, closing(here), closing(there):
        waiting = [threads.submit(end.receive, Report) for end in (here, there)]
        time.sleep(0.1)
        here.close()
        waiting.append(threads.submit(here.send, Report(number=7)))
        assert [isinstance(done.exception(10), OSError) for done in waiting] == [True] * 3


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_peer_that_drips_bytes_has_the_deadline_of_one_that_is_silent(
    monkeypatch: pytest.MonkeyPatch, is_encrypted: bool
) -> None:
    monkeypatch.setattr(dask_workers, "GREETING_S", 1.0)
    with channel(certified()[0] if is_encrypted else None) as (_, address):
        began = time.monotonic()
        with socket.create_connection(address) as peer, suppress(ConnectionError):
            while time.monotonic() - began < 10:
                peer.sendall(b"\x16")
                time.sleep(0.1)
        assert time.monotonic() - began < 5


def test_peers_that_say_nothing_do_not_keep_a_worker_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "MOST_GREETINGS", 20)
    with channel() as (listener, address):
        silent = [socket.create_connection(address, timeout=10) for _ in range(50)]
        assert said_to(listener.token_for("here", 1).encode(), address) == KEYS
        assert silent[0].recv(1) == b""
        for peer in silent:
            peer.close()


@pytest.mark.parametrize(
    ("line", "says"), [(b"", "closed"), (b"\0\0\0\2[]", "not a Report"), (b"\xff\xff\xff\xff", "is the most")]
)
def test_what_is_no_message_ends_a_connection(line: bytes, says: str) -> None:
    ours, theirs = socket.socketpair()
    with closing(Connection(ours, silence_s=10)) as connection:
        theirs.sendall(line)
        theirs.close()
        with pytest.raises(OSError, match=says):
            connection.receive(Report)


START_S = 120
"""Three processes import all that a run needs, which a busy machine takes long for."""


def scores_of(result: dict[str, Any]) -> dict[str, tuple[float | None, str]]:
    """The scores by trial, without the part of a trial's id that is the run's."""
    return {trial["trial_id"].rpartition("-")[0]: (trial["score"], trial["outcome"]) for trial in result["trials"]}


def journal_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (folder / "runs").glob("*.jsonl"))


def ended(run: subprocess.Popen[str]) -> Result:
    with run:
        out, err = run.communicate(timeout=400)
    return Result(run.returncode, out, err)


def played_with_losses(cluster: DaskProcesses, folder: Path, flags: tuple[str, ...], losses: list[int]) -> Result:
    """Run, and kill one more worker each time that so many trials have begun."""
    run = started("run", *flags, "--json", "--workers", f"dask:{cluster.address}", cwd=folder)
    try:
        for worker, count in zip(cluster.workers, losses, strict=False):
            wait_until(
                lambda count=count: journal_in(folder).count(b'"type":"trial_started"') >= count, within_s=START_S
            )
            os.killpg(worker.pid, signal.SIGKILL)
        return ended(run)
    finally:
        run.kill()


def check_losses(tmp_path: Path, *, trials: int, workers: int, losses: list[int], played: tuple[str, ...] = ()) -> None:
    home, alone = tmp_path / "home", tmp_path / "alone"
    home.mkdir()
    alone.mkdir()
    tries = max(trials // 50, 1)
    flags = ("--limit", str(trials // tries), "--repeats", str(tries), "--concurrency", str(2 * workers), *played)
    with dask_processes(tmp_path, workers) as cluster:
        done = played_with_losses(cluster, home, flags, losses)
        logs = cluster.logs
    by_threads = ended(started("run", *flags, "--json", cwd=alone))
    assert (done.code, done.err) == (by_threads.code, ""), logs
    (journal,) = (home / "runs").glob("*.jsonl")
    content = open_journal(journal)
    assert len(content.summary.trials) == len(done.json["trials"]) == trials // tries * tries
    assert journal.read_bytes().count(b'"type":"trial_ended"') == len(content.summary.trials)
    assert any("its worker was lost" in notice for notice in content.summary.notices)
    assert scores_of(done.json) == scores_of(by_threads.json)
    assert verify(content, list(content.trials)).steps > trials
    assert "token" not in logs


@pytest.mark.heavy
def test_a_killed_worker_costs_no_trial_its_score(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    slow = ("--benchmark", "tests.support.many_trials:6", "--model", f"scripted:{script}", "--set", "seconds=0.5")
    check_losses(tmp_path, trials=6, workers=2, losses=[4], played=slow)


@pytest.mark.heavy
def test_of_four_workers_two_are_killed_and_200_trials_score_as_alone(tmp_path: Path) -> None:
    check_losses(tmp_path, trials=200, workers=4, losses=[20, 60])


@pytest.mark.heavy
def test_a_killed_scheduler_leaves_a_run_to_be_resumed(tmp_path: Path) -> None:
    with dask_processes(tmp_path, 2) as cluster:
        run = started("run", "--limit", "30", "--workers", f"dask:{cluster.address}", "--quiet", cwd=tmp_path)
        wait_until(lambda: journal_in(tmp_path).count(b'"type":"trial_ended"') >= 2, within_s=START_S)
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
    check_line(Result(run.returncode, out, err), 3, "the scheduler of the cluster", "was lost", "resume")
    resumed = controlplane("resume", "last", "--workers", "threads", "--json", cwd=tmp_path)
    assert (resumed.json["submitted"], resumed.json["trials_scored"]) == (True, 30), resumed.err


@pytest.mark.heavy
def test_a_cluster_with_certificates_has_an_encrypted_channel(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster -keyout {key} -out {certificate}"
    subprocess.run(made.split(), check=True, capture_output=True)
    named = {"ca-file": certificate, "cert": certificate, "key": key}
    tls = [word for name, path in named.items() for word in (f"--tls-{name}", str(path))]
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    variables = {
        f"{prefix}CA_FILE": str(certificate),
        f"{prefix}CLIENT__CERT": str(certificate),
        f"{prefix}CLIENT__KEY": str(key),
    }
    flags = ("run", "--limit", "4", "--json")
    with dask_processes(tmp_path, 1, tls=tls) as cluster:
        assert cluster.address.startswith("tls://")
        done = controlplane(*flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path, **variables)
        assert (done.code, done.json["trials_scored"]) == (0, 4), done.err
        refused = controlplane(*flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path)
        assert refused.code == 3, refused.err


def listening(run: subprocess.Popen[str]) -> set[tuple[str, int]]:
    """The addresses at which a run and its processes listen."""
    process = psutil.Process(run.pid)
    sockets = [
        connection for one in (process, *process.children(recursive=True)) for connection in one.net_connections("tcp")
    ]
    return {each.laddr for each in sockets if each.status == psutil.CONN_LISTEN}


def test_workers_started_here_write_the_journal_of_threads_and_obey_nobody_else(tmp_path: Path) -> None:
    flags = ("--limit", "3", "--concurrency", "2", "--set", "profile=hard")
    foreign = certified()[1]
    for workers in ("threads", "dask:local:1"):
        home = tmp_path / workers
        home.mkdir()
        run = started("run", *flags, "--json", "--workers", workers, cwd=home)
        try:
            wait_until(lambda home=home: b'"type":"trial_started"' in journal_in(home), within_s=START_S)
            there = listening(run)
            assert [host for host, _ in there if host != "127.0.0.1"] == []
            pages = {address for address in there if told(address) == b"HTTP/1.1 404 Not Found"}
            assert {(told(address), told(address, foreign)) for address in there - pages} <= {(b"", b"")}
            assert len(there - pages) >= (0 if workers == "threads" else 3)
            done = ended(run)
        finally:
            run.kill()
        assert (done.code in (0, 1), done.err) == (True, "")
    assert timeless(tmp_path / "dask:local:1") == timeless(tmp_path / "threads")


def told(address: tuple[str, int], certificate: ssl.SSLContext | None = None) -> bytes:
    """The first line that a process says to somebody who has no certificate, or one of his own."""
    with socket.create_connection(address, timeout=20) as peer:
        try:
            peer = certificate.wrap_socket(peer) if certificate else peer
            peer.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
            return peer.recv(1000).partition(b"\r\n")[0]
        except (ssl.SSLError, ConnectionError):
            return b""
        finally:
            peer.close()


@pytest.mark.parametrize(
    ("workers", "code", "says"),
    [
        ("dask:192.0.2.1:8786", 2, "has no TLS"),
        ("dask:local:0", 2, "--workers: trials run on auto, on threads"),
        ("daks:127.0.0.1:8786", 2, "--workers: trials run on auto, on threads"),
    ],
)
def test_workers_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, workers: str, code: int, says: str
) -> None:
    check_line(inside("run", "--workers", workers, "--quiet", cwd=tmp_path), code, says)
    assert not (tmp_path / "runs").exists()


SETTINGS = RunSettings(
    benchmark="bitgn:any",
    model="big",
    api_key_env="BIG_KEY",
    model_headers={"X-Route": "$ROUTE_TOKEN", "X-Title": "plain"},
    role={"review": ModelSettings(model="small", api_key_env="SMALL_KEY", model_headers={"X-Auth": "$SMALL_TOKEN"})},
)
NEEDED = ("BITGN_API_KEY", "BIG_KEY", "ROUTE_TOKEN", "SMALL_KEY", "SMALL_TOKEN")


@pytest.mark.parametrize("set_here", [NEEDED, ("SMALL_KEY",)])
def test_workers_need_the_keys_of_all_roles_that_are_set_here(
    monkeypatch: pytest.MonkeyPatch, set_here: tuple[str, ...]
) -> None:
    for name in (*set_here, "OTHER_KEY"):
        monkeypatch.setenv(name, "k")
    assert set(dask_workers._variables_of_keys(SETTINGS)) == set(set_here)
