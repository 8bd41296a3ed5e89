"""Runs on real Dask clusters, of which some workers
are killed, and the refusal of unfit workers.
"""

import itertools
import os
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Unreachable
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.new_run import NewRun
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers
from controlplane.replay.verification import verify
from controlplane.workers import dask_workers
from tests.support.command import (
    ROOT,
    CommandResult,
    check_error_line,
    run_controlplane,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.dask_processes import dask_processes
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.running_server import running_server
from tests.support.scored_journal import lines_without_times

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)
import psutil

pytestmark = pytest.mark.second_tier

START_S = 120
"""Three processes import all that a run needs, which a busy machine takes long for."""


def journal_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (folder / "runs").glob("*.jsonl"))


def ended(run: subprocess.Popen[str]) -> CommandResult:
    with run:
        out, err = run.communicate(timeout=400)
    return CommandResult(run.returncode, out, err)


@pytest.mark.heavy
def test_a_killed_scheduler_leaves_a_run_to_be_resumed(tmp_path: Path) -> None:
    with dask_processes(tmp_path, 2) as cluster:
        run = start_controlplane(
            "run",
            "--limit",
            "30",
            "--workers",
            f"dask:{cluster.address}",
            "--quiet",
            cwd=tmp_path,
        )
        wait_until(
            lambda: journal_in(tmp_path).count(b'"type":"trial_ended"') >= 2,
            within_s=START_S,
        )
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
    check_error_line(
        CommandResult(run.returncode, out, err),
        3,
        "the scheduler of the cluster",
        "was lost",
        "resume",
    )
    resumed = run_controlplane(
        "resume", "last", "--workers", "threads", "--json", cwd=tmp_path
    )

    assert resumed.json["submitted"] is True, resumed.err
    assert resumed.json["trials_scored"] == 30


@pytest.mark.heavy
def test_a_cluster_with_certificates_has_an_encrypted_channel(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster -keyout {key} -out {certificate}"
    subprocess.run(made.split(), check=True, capture_output=True)
    named = {"ca-file": certificate, "cert": certificate, "key": key}
    tls = [
        word for name, path in named.items() for word in (f"--tls-{name}", str(path))
    ]
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    variables = {
        f"{prefix}CA_FILE": str(certificate),
        f"{prefix}CLIENT__CERT": str(certificate),
        f"{prefix}CLIENT__KEY": str(key),
    }
    flags = ("run", "--limit", "4", "--json")
    with dask_processes(tmp_path, 1, tls=tls) as cluster:
        assert cluster.address.startswith("tls://")
        done = run_controlplane(
            *flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path, **variables
        )
        assert done.code == 0, done.err
        assert done.json["trials_scored"] == 4
        refused = run_controlplane(
            *flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path
        )
        assert refused.code == 3, refused.err


def foreign_certificate() -> ssl.SSLContext:
    """What a peer of another authority connects with, which looks at no certificate."""
    from distributed.security import Security

    context: ssl.SSLContext = Security.temporary().get_connection_args("worker")[
        "ssl_context"
    ]
    context.verify_mode = ssl.CERT_NONE
    return context


def listening(run: subprocess.Popen[str]) -> set[tuple[str, int]]:
    """The addresses at which a run and its processes listen."""
    process = psutil.Process(run.pid)
    sockets = [
        connection
        for any_process in (process, *process.children(recursive=True))
        for connection in any_process.net_connections("tcp")
    ]
    return {
        connection.laddr
        for connection in sockets
        if connection.status == psutil.CONN_LISTEN
    }


def test_workers_started_here_write_the_journal_of_threads_and_obey_nobody_else(
    tmp_path: Path,
) -> None:
    flags = ("--limit", "3", "--concurrency", "2", "--set", "profile=hard")
    foreign = foreign_certificate()
    for workers in ("threads", "dask:local:1"):
        home = tmp_path / workers
        home.mkdir()
        run = start_controlplane(
            "run", *flags, "--json", "--workers", workers, cwd=home
        )
        try:
            wait_until(
                lambda home=home: b'"type":"trial_started"' in journal_in(home),
                within_s=START_S,
            )
            there = listening(run)
            assert [host for host, _ in there if host != "127.0.0.1"] == []
            pages = {
                address
                for address in there
                if told(address) == b"HTTP/1.1 404 Not Found"
            }
            assert {
                (told(address), told(address, foreign)) for address in there - pages
            } <= {(b"", b"")}
            assert len(there - pages) >= (0 if workers == "threads" else 3)
            done = ended(run)
        finally:
            run.kill()
        assert done.err == ""
        assert done.code in (0, 1)

    assert lines_without_times(tmp_path / "dask:local:1") == lines_without_times(
        tmp_path / "threads"
    )


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
        ("dask:local:0", 2, "--workers: trials run on threads, on dask:local:N"),
        ("daks:127.0.0.1:8786", 2, "--workers: trials run on threads, on dask:local:N"),
    ],
)
def test_workers_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, workers: str, code: int, says: str
) -> None:
    check_error_line(
        run_in_process("run", "--workers", workers, "--quiet", cwd=tmp_path), code, says
    )
    assert not (tmp_path / "runs").exists()


TALLY = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rule_sets="none",
    gates="none",
    concurrency=4,
    poll_time=5,
)
TRIALS = 2
ONCE = {"write": 1, "delete": 1, "bump": 1, "answer": 1}
Hook = Callable[[JournalEvent], object]


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Iterator[EffectCounterBenchmark]:
    """The benchmark that counts every effect, served on a port of its own."""
    tally = EffectCounterBenchmark(TRIALS)
    with running_server(tally, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        yield tally


class Cluster:
    """A cluster of Dask's own, and hooks into the run that it works for."""

    def __init__(self, *, processes: bool = False, workers: int = 1) -> None:
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=4,
            processes=processes,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        )
        self.client = Client(self.cluster, set_as_default=False)
        self.before: Hook = lambda event: None
        """Called with every event before it is written."""
        self.after: Hook = lambda event: None
        """Called with every event once it is written."""

    def open_workers(
        self, resources: RunResources, emit: Emit, controls: RunControls
    ) -> Workers:
        def watched(event: JournalEvent) -> None:
            self.before(event)
            emit(event)
            self.after(event)

        return dask_workers.DaskWorkers(self.client, resources, watched, controls)

    def on(
        self, kind: type[JournalEvent], do: Callable[[], object], count: int = 1
    ) -> None:
        """Call `do` once so many events of a kind are
        written; outcomes of calls are not counted."""
        numbers = itertools.count(1)

        def look(event: JournalEvent) -> None:
            is_outcome = isinstance(event, CallEvent) and not event.is_announcement
            if isinstance(event, kind) and not is_outcome and next(numbers) == count:
                do()

        self.after = look

    def kill_workers(self) -> None:
        for pid in self.client.run(os.getpid).values():
            os.kill(pid, signal.SIGKILL)


@contextmanager
def cluster_of(*, processes: bool = False, workers: int = 1) -> Iterator[Cluster]:
    cluster = Cluster(processes=processes, workers=workers)
    try:
        yield cluster
    finally:
        cluster.client.close()
        cluster.cluster.close()


@contextmanager
def a_run(settings: RunSettings, journal: Path, cluster: Cluster) -> Iterator[Run]:
    spec = RunSpec(settings)
    with (
        open_resources(spec) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        run = Run(
            resources, writer, workers_opener=cluster.open_workers, plan=NewRun(spec)
        )
        try:
            yield run
        finally:
            run.work.close_workers()


def play(run: Run) -> None:
    run.work.open_workers()
    begin_run(run)
    run.work.play_trials(run.summary.trials, run.trial_records)


def verified(path: Path) -> Journal:
    content = open_journal(path)
    verify(content, list(content.trials))
    return content


@pytest.mark.parametrize(("kind", "count"), [(CallEvent, 4), (AnswerSent, 2)])
def test_a_trial_whose_worker_is_killed_is_left_open_and_resumed_without_a_second_change(
    tmp_path: Path, tally: EffectCounterBenchmark, kind: type[JournalEvent], count: int
) -> None:
    path = tmp_path / "run.jsonl"
    with (
        cluster_of(processes=True, workers=2) as cluster,
        a_run(TALLY, path, cluster) as run,
    ):
        cluster.on(kind, cluster.kill_workers, count)
        play(run)
    left = open_journal(path).summary

    assert "its worker was lost" in {trial.reason for trial in left.trials.values()}
    with reopen_run(path, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)
    assert verified(path).summary.trials.mean_score == 1.0
    assert {tuple(sorted(effect.items())) for effect in tally.effects.values()} == {
        tuple(sorted(ONCE.items()))
    }


def test_a_change_waits_until_its_event_is_written(
    tmp_path: Path, tally: EffectCounterBenchmark
) -> None:
    written: Counter[str] = Counter()
    early: list[str] = []

    def look(event: JournalEvent) -> None:
        name = (
            "answer"
            if isinstance(event, AnswerSent)
            else getattr(event, "operation", "")
        )
        is_outcome = isinstance(event, CallEvent) and not event.is_announcement
        if (
            isinstance(event, CallEvent | AnswerSent)
            and not is_outcome
            and name in ONCE
        ):
            time.sleep(0.2)  # in which a worker that does not wait makes its change
            if sum(effects[name] for effects in tally.effects.values()) > written[name]:
                early.append(name)
            written[name] += 1

    with (
        cluster_of() as cluster,
        a_run(
            TALLY.model_copy(update={"concurrency": 1}), tmp_path / "j", cluster
        ) as run,
    ):
        cluster.before = look
        play(run)

    assert written["answer"] == written["write"] == TRIALS
    assert early == []


def test_a_stop_reaches_workers_and_threads_resume_the_run(
    tmp_path: Path, tally: EffectCounterBenchmark
) -> None:
    path = tmp_path / "run.jsonl"
    with (
        cluster_of() as cluster,
        a_run(TALLY.model_copy(update={"concurrency": 2}), path, cluster) as run,
    ):
        cluster.on(CallEvent, run.stop)
        play(run)
    left = open_journal(path).summary

    assert left.trials.count("answered") < TRIALS
    assert left.trials.count("running") == 0
    with reopen_run(path, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)
    summary = verified(path).summary
    assert summary.trials.count("answered") == TRIALS, [
        (trial.state, trial.reason) for trial in summary.trials.values()
    ]
    assert {tuple(sorted(effect.items())) for effect in tally.effects.values()} == {
        tuple(sorted(ONCE.items()))
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"source_digest": "another"}, "another version of the program"),
        (
            {
                "spec": RunSpec(
                    RunSettings(
                        benchmark="bitgn:tally",
                        model="scripted:gone.toml",
                        rule_sets="none",
                    )
                )
            },
            "gone.toml",
        ),
        (
            {"required_variables": ("BITGN_API_KEY", "ABSENT_KEY")},
            "has no key in ABSENT_KEY; set it in the worker's environment",
        ),
        ({"world_version": "0"}, "and the run has worlds '0'"),
    ],
)
@pytest.mark.usefixtures("tally")
def test_an_unfit_worker_is_refused_and_nothing_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], says: str
) -> None:
    made = dask_workers.work_order

    monkeypatch.setattr(
        dask_workers,
        "work_order",
        lambda *given, **more: replace(made(*given, **more), **changes),
    )
    with (
        cluster_of() as cluster,
        a_run(TALLY, tmp_path / "run.jsonl", cluster) as run,
        pytest.raises(Unreachable, match=says),
    ):
        run.work.open_workers()

    assert not (tmp_path / "run.jsonl").exists()
