"""Runs whose trials play on a Dask cluster: `controlplane run --workers dask:ADDRESS`.

Dask spreads work over processes on many machines: a scheduler gives it to workers. The tests kill
workers and the scheduler, and show that a run can be resumed with every effect made once, that
unfit workers are refused, and that nobody without the run's certificate can talk to its workers.
"""

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
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.lifecycle.trials.trial_workers import Workers
from controlplane.replay.verification import verify
from controlplane.workers import dask_workers
from tests.support.command import (
    ROOT,
    check_error_line,
    run_controlplane,
    run_in_process,
    run_python,
    start_controlplane,
    wait_for_exit,
    wait_until,
)
from tests.support.dask_processes import dask_processes
from tests.support.effect_counter import EACH_EFFECT_ONCE, EffectCounterBenchmark
from tests.support.running_server import running_server
from tests.support.scored_journal import lines_without_times

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)
import psutil

pytestmark = pytest.mark.second_tier

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial has no answer."""

START_S = 120
"""Three processes import all that a run needs, which a busy machine takes long for."""


def journal_bytes(folder: Path) -> bytes:
    """Return the journals of a folder, one after the other; empty if there is none yet."""
    journals = (folder / "runs").glob("*.jsonl")
    return b"".join(journal.read_bytes() for journal in journals)


# --- Clusters whose processes are started by their user ---


@pytest.mark.heavy
def test_a_run_whose_scheduler_is_killed_can_be_resumed(tmp_path: Path) -> None:
    """The scheduler is killed when two of 30 trials have ended. The run is resumed on threads."""
    trials = 30

    def has_ended_trials() -> bool:
        return journal_bytes(tmp_path).count(b'"type":"trial_ended"') >= 2

    with dask_processes(tmp_path, workers=2) as cluster:
        process = start_controlplane(
            "run",
            "--limit",
            str(trials),
            "--workers",
            f"dask:{cluster.address}",
            "--quiet",
            cwd=tmp_path,
        )
        wait_until(has_ended_trials, within_s=START_S)
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        stopped = wait_for_exit(process)
    resumed = run_controlplane(
        "resume", "last", "--workers", "threads", "--json", cwd=tmp_path
    )

    check_error_line(
        stopped,
        Unreachable.exit_code,
        "the scheduler of the cluster",
        "was lost",
        "resume",
    )
    assert resumed.json["submitted"] is True, resumed.err
    assert resumed.json["trials_scored"] == trials


def make_certificate(openssl: str, *, key: Path, certificate: Path) -> None:
    """Write a key and a self-signed certificate for it. Dask's processes trust its holders."""
    command = (
        f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster "
        f"-keyout {key} -out {certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)


@pytest.mark.heavy
def test_a_cluster_with_certificates_takes_only_runs_that_have_one(
    tmp_path: Path,
) -> None:
    """A run with the certificate plays on the cluster, and a run without one is refused.

    Dask's own environment variables name the certificate. Dask reads them when it is imported, so
    that the run has to be a new process of Python, and not a fork of one.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key = tmp_path / "key.pem"
    certificate = tmp_path / "certificate.pem"
    make_certificate(openssl, key=key, certificate=certificate)
    tls_flags = [
        "--tls-ca-file",
        str(certificate),
        "--tls-cert",
        str(certificate),
        "--tls-key",
        str(key),
    ]

    with dask_processes(tmp_path, workers=1, tls=tls_flags) as cluster:
        run = ("-m", "controlplane", "run", "--limit", "4", "--json")
        workers = ("--workers", f"dask:{cluster.address}")
        accepted = run_python(
            *run,
            *workers,
            cwd=tmp_path,
            DASK_DISTRIBUTED__COMM__TLS__CA_FILE=str(certificate),
            DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT=str(certificate),
            DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY=str(key),
        )
        refused = run_python(*run, *workers, cwd=tmp_path)

    assert cluster.address.startswith("tls://")
    assert accepted.code == OK, accepted.err
    assert accepted.json["trials_scored"] == 4
    assert refused.code == Unreachable.exit_code, refused.err


@pytest.mark.parametrize(
    ("workers", "error"),
    [
        pytest.param(
            "dask:192.0.2.1:8786",
            "has no TLS",
            id="another machine without encryption",
        ),
        pytest.param(
            "dask:local:0",
            "--workers: trials run on threads, on dask:local:N",
            id="no workers",
        ),
        pytest.param(
            "daks:127.0.0.1:8786",
            "--workers: trials run on threads, on dask:local:N",
            id="misspelt",
        ),
    ],
)
def test_workers_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, workers: str, error: str
) -> None:
    """The command is refused before anything is recorded. Without TLS, scripts and keys would travel
    unencrypted."""
    result = run_in_process("run", "--workers", workers, "--quiet", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, error)
    assert not (tmp_path / "runs").exists()


# --- Workers that a run starts on this machine ---
#
# `--workers dask:local:1` starts a scheduler and a worker, which listen at ports of this machine.
# Other users of the machine can connect to them, so they talk only to holders of a certificate that
# the run has made for itself.

Address = tuple[str, int]
"""A host and a port."""

HTTP_PAGE = b"HTTP/1.1 404 Not Found"
"""What a port of Dask's web pages answers, which are switched off."""


def unrelated_certificate() -> ssl.SSLContext:
    """Return a certificate that another run could have made for itself.

    Connections that use it do not check the other side's certificate.
    """
    from distributed.security import Security

    arguments = Security.temporary().get_connection_args("worker")
    context: ssl.SSLContext = arguments["ssl_context"]
    context.verify_mode = ssl.CERT_NONE
    return context


def listening_addresses(run: subprocess.Popen[str]) -> set[Address]:
    """Return the addresses at which a run and its child processes listen."""
    process = psutil.Process(run.pid)
    addresses: set[Address] = set()
    for any_process in (process, *process.children(recursive=True)):
        for connection in any_process.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                addresses.add(connection.laddr)
    return addresses


def first_line_from(
    address: Address, certificate: ssl.SSLContext | None = None
) -> bytes:
    """Send an HTTP request to an address, and return the first line of the answer.

    Empty if the connection is closed without an answer.
    """
    with socket.create_connection(address, timeout=20) as peer:
        try:
            if certificate is not None:
                peer = certificate.wrap_socket(peer)
            peer.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
            return peer.recv(1000).partition(b"\r\n")[0]
        except (ssl.SSLError, ConnectionError):
            return b""
        finally:
            peer.close()


def check_nobody_else_is_answered(
    run: subprocess.Popen[str], *, least_ports: int
) -> None:
    """Assert that the processes of a run listen at this machine only, and do not talk to anybody
    without their certificate. `least_ports` counts those that are not of web pages."""
    certificate = unrelated_certificate()
    closed_ports = 0
    for address in listening_addresses(run):
        host, _ = address
        assert host == "127.0.0.1"
        answer = first_line_from(address)
        if answer != HTTP_PAGE:
            closed_ports += 1
            assert answer == b""
            assert first_line_from(address, certificate) == b""
    assert closed_ports >= least_ports


def play_three_trials(folder: Path, workers: str, *, least_ports: int) -> None:
    """Run three trials on these workers, and check the ports as soon as one has started.

    `dask:local:1` starts a scheduler and a worker on this machine, which listen at ports. They talk
    only to holders of a certificate that the run has made for itself.
    """
    folder.mkdir()
    process = start_controlplane(
        "run",
        "--limit",
        "3",
        "--concurrency",
        "2",
        "--set",
        "profile=hard",
        "--json",
        "--workers",
        workers,
        cwd=folder,
    )
    try:
        wait_until(
            lambda: b'"type":"trial_started"' in journal_bytes(folder), within_s=START_S
        )
        check_nobody_else_is_answered(process, least_ports=least_ports)
        result = wait_for_exit(process, within_s=400)
    finally:
        process.kill()
    assert result.err == ""
    assert result.code in (OK, A_TRIAL_FAILED)


def test_workers_on_this_machine_write_the_journal_of_threads_and_obey_nobody_else(
    tmp_path: Path,
) -> None:
    """The journals are equal but for times. A run on threads needs no ports."""
    play_three_trials(tmp_path / "threads", "threads", least_ports=0)
    play_three_trials(tmp_path / "dask", "dask:local:1", least_ports=3)

    assert lines_without_times(tmp_path / "dask") == lines_without_times(
        tmp_path / "threads"
    )


# --- A cluster in the process of the test ---

COUNTED_RUN = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rule_sets="none",
    gates="none",
    concurrency=4,
    poll_time=5,
)
"""A run over a benchmark that counts what its trials change."""
TRIALS = 2

EventHook = Callable[[JournalEvent], object]
"""Is called with an event of the run."""


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[EffectCounterBenchmark]:
    """The benchmark, behind a server whose address is in the environment variables."""
    counting_benchmark = EffectCounterBenchmark(TRIALS)
    with running_server(counting_benchmark, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        yield counting_benchmark


def check_every_effect_happened_once(benchmark: EffectCounterBenchmark) -> None:
    """Assert that each trial wrote and deleted its file, called its program and answered once."""
    assert len(benchmark.effects) == TRIALS
    for effects in benchmark.effects.values():
        assert dict(effects) == EACH_EFFECT_ONCE


def ignore(event: JournalEvent) -> None:
    pass


def is_announcement(event: JournalEvent) -> bool:
    """Return whether an event announces a call or an answer that is about to be sent."""
    if isinstance(event, CallEvent):
        return event.is_announcement
    return isinstance(event, AnswerSent)


class HookedCluster:
    """A Dask cluster, and hooks into the run that it works for."""

    def __init__(self, *, processes: bool = False, workers: int = 1) -> None:
        """Start the workers: in processes of their own, or in threads of this one."""
        from distributed import Client, LocalCluster

        self.cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=4,
            processes=processes,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        )
        self.client = Client(self.cluster, set_as_default=False)
        self.before_write: EventHook = ignore
        """Called with every event before it is written to the journal."""
        self.after_write: EventHook = ignore
        """Called with every event once it is written."""

    def open_workers(
        self, resources: RunResources, emit: Emit, controls: RunControls
    ) -> Workers:
        def emit_with_hooks(event: JournalEvent) -> None:
            self.before_write(event)
            emit(event)
            self.after_write(event)

        return dask_workers.DaskWorkers(
            self.client, resources, emit_with_hooks, controls
        )

    def after_announcements(
        self, event_type: type[JournalEvent], count: int, act: Callable[[], object]
    ) -> None:
        """Call `act` once this many calls, or answers, have been announced in the journal."""
        announcements = 0

        def count_and_act(event: JournalEvent) -> None:
            nonlocal announcements
            if isinstance(event, event_type) and is_announcement(event):
                announcements += 1
                if announcements == count:
                    act()

        self.after_write = count_and_act

    def kill_workers(self) -> None:
        for process_id in self.client.run(os.getpid).values():
            os.kill(process_id, signal.SIGKILL)

    def close(self) -> None:
        self.client.close()
        self.cluster.close()


@contextmanager
def hooked_cluster(
    *, processes: bool = False, workers: int = 1
) -> Iterator[HookedCluster]:
    """Start a cluster, and stop it at the end of the block."""
    cluster = HookedCluster(processes=processes, workers=workers)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def new_run(
    settings: RunSettings, journal: Path, cluster: HookedCluster
) -> Iterator[Run]:
    """Make a run whose trials are to play on the cluster."""
    spec = RunSpec(settings)
    with (
        open_resources(spec) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        run = Run(
            resources, writer, workers_opener=cluster.open_workers, plan=RunPlan(spec)
        )
        try:
            yield run
        finally:
            run.work.close_workers()


def play(run: Run) -> None:
    """Start the workers, and play all trials of a run."""
    run.work.open_workers()
    begin_run(run)
    run.work.play_trials(run.summary.trials, run.trial_records)


def resume_on_threads(path: Path) -> None:
    """Resume a stopped run without the cluster, play it to its end, and submit it."""
    with reopen_run(path, plays_trials=True, is_trusted=True) as run:
        run.work.play_trials(run.summary.trials, run.trial_records)
        submit_run(run)


def check_replays_as_recorded(path: Path) -> None:
    """Run the recorded scripts again; `verify` raises an error if one gives another output."""
    journal = open_journal(path)
    verify(journal, list(journal.trials))


@pytest.mark.parametrize(
    ("event_type", "count"),
    [
        pytest.param(CallEvent, 4, id="at the fourth call"),
        pytest.param(AnswerSent, 2, id="at the second answer"),
    ],
)
def test_a_trial_whose_worker_is_killed_is_resumed_with_every_effect_made_once(
    tmp_path: Path,
    benchmark: EffectCounterBenchmark,
    event_type: type[JournalEvent],
    count: int,
) -> None:
    """All workers are killed. The trial stays open, and is resumed on threads."""
    path = tmp_path / "run.jsonl"
    with (
        hooked_cluster(processes=True, workers=2) as cluster,
        new_run(COUNTED_RUN, path, cluster) as run,
    ):
        cluster.after_announcements(event_type, count, cluster.kill_workers)
        play(run)
    stopped = open_journal(path).summary

    resume_on_threads(path)

    reasons = [trial.reason for trial in stopped.trials.values()]
    assert "its worker was lost" in reasons
    assert open_journal(path).summary.trials.mean_score == 1.0
    check_replays_as_recorded(path)
    check_every_effect_happened_once(benchmark)


def test_a_worker_makes_no_change_before_it_is_announced_in_the_journal(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """Otherwise a change could happen that a resumed run does not know of. Before an announcement
    is written, the test waits, in which a worker that does not wait would make its change."""
    announced: Counter[str] = Counter()
    made_too_early: list[str] = []

    def count_effects(effect: str) -> int:
        return sum(effects[effect] for effects in benchmark.effects.values())

    def wait_and_count(event: JournalEvent) -> None:
        if not is_announcement(event):
            return
        effect = "answer" if isinstance(event, AnswerSent) else event.operation
        if effect not in EACH_EFFECT_ONCE:
            return  # a call that only reads
        time.sleep(0.2)
        if count_effects(effect) > announced[effect]:
            made_too_early.append(effect)
        announced[effect] += 1

    one_at_a_time = COUNTED_RUN.model_copy(update={"concurrency": 1})
    with (
        hooked_cluster() as cluster,
        new_run(one_at_a_time, tmp_path / "run.jsonl", cluster) as run,
    ):
        cluster.before_write = wait_and_count
        play(run)

    assert announced["answer"] == TRIALS
    assert announced["write"] == TRIALS
    assert made_too_early == []


def test_a_stop_reaches_the_workers_and_threads_resume_the_run(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """The run is stopped, as by Ctrl-C, at the first call of a trial."""
    path = tmp_path / "run.jsonl"
    two_at_a_time = COUNTED_RUN.model_copy(update={"concurrency": 2})
    with (
        hooked_cluster() as cluster,
        new_run(two_at_a_time, path, cluster) as run,
    ):
        cluster.after_announcements(CallEvent, 1, run.stop)
        play(run)
    stopped = open_journal(path).summary

    resume_on_threads(path)

    assert stopped.trials.count("answered") < TRIALS
    assert stopped.trials.count("running") == 0
    resumed = open_journal(path).summary
    assert resumed.trials.count("answered") == TRIALS
    check_replays_as_recorded(path)
    check_every_effect_happened_once(benchmark)


SPEC_WITH_MISSING_FILE = RunSpec(
    RunSettings(benchmark="bitgn:tally", model="scripted:gone.toml", rule_sets="none")
)
"""The order for a run whose model is a file that does not exist."""


@pytest.mark.parametrize(
    ("changed_order", "error"),
    [
        pytest.param(
            {"source_digest": "another"},
            "another version of the program",
            id="another version of the program",
        ),
        pytest.param(
            {"spec": SPEC_WITH_MISSING_FILE},
            "gone.toml",
            id="a file that the worker does not have",
        ),
        pytest.param(
            {"required_variables": ("BITGN_API_KEY", "ABSENT_KEY")},
            "has no key in ABSENT_KEY; set it in the worker's environment",
            id="a key that the worker does not have",
        ),
        pytest.param(
            {"world_version": "0"},
            "and the run has worlds '0'",
            id="another version of the benchmark",
        ),
    ],
)
@pytest.mark.usefixtures("benchmark")
def test_a_worker_that_does_not_fit_the_run_is_refused_and_nothing_begins(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changed_order: dict[str, Any],
    error: str,
) -> None:
    """A run sends each worker an order with what the worker must have, and the worker checks it.
    Here the order is changed, so that this machine's worker does not fit."""
    work_order = dask_workers.work_order

    def changed_work_order(*arguments: Any, **options: Any) -> Any:
        return replace(work_order(*arguments, **options), **changed_order)

    monkeypatch.setattr(dask_workers, "work_order", changed_work_order)
    with (
        hooked_cluster() as cluster,
        new_run(COUNTED_RUN, tmp_path / "run.jsonl", cluster) as run,
        pytest.raises(Unreachable, match=error),
    ):
        run.work.open_workers()

    assert not (tmp_path / "run.jsonl").exists()
