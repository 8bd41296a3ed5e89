"""A run on a Dask cluster gives what it gives on threads, and trusts no one but its own workers.

Workers without what the run needs, and unsafe ones, are refused in one line. Changes are announced
in the journal before they are made. If a worker or scheduler is killed, or the user stops the run,
it can be resumed, also on threads, and no change is lost or made twice.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest

from controlplane.agent.events import (
    VARIES_BY_RUN,
    AnswerSent,
    CallEvent,
    event_classes,
    fields_marked,
    type_of,
)
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.resources.run_resources import RunResources, open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_beginnings import begin_run, reopen_run
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import Consent, RunPlan
from controlplane.lifecycle.run_submission import submit_run
from controlplane.replay.verification import verify
from tests.support.command import (
    check_error_line,
    clean_environment,
    run_controlplane,
    run_in_process,
    run_python,
    start_controlplane,
    wait_for_exit,
    wait_until,
)
from tests.support.counting_environment import EACH_EFFECT_ONCE
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals import without_chain
from tests.support.product_files import ROOT

# The settings of a run that changes files, in trials that count each change.
#
# The benchmark is called "tally"; `effect_counter.py` defines it. A test can ask it how often each
# trial has written, deleted, bought and answered: each has to happen once, also if workers are
# killed.

EFFECTS_RUN = RunSettings(
    benchmark="bitgn:tally",  # of the server whose address is in BITGN_HOST
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    # Nothing judges the answers: only the changes matter.
    rule_sets="none",
    gates="none",
    # After its last trial, the run asks for at most 5 s for scores that are not ready.
    poll_time=5,
)


# Small Dask clusters on this machine, for the length of a block.
#
#     with local_cluster(TWO_PROCESSES) as client:
#         client.run(os.getpid)      # {"tcp://127.0.0.1:41001": 811, "tcp://127.0.0.1:41002": 812}
#
# The client gives work to the workers of its cluster.

TWO_PROCESSES = {"n_workers": 2, "processes": True}
"""Two workers, each a process of its own, which a test may kill."""

THREADS = {"n_workers": 1, "processes": False}
"""One worker, whose threads belong to the process of the test. It starts faster."""


@contextmanager
def local_cluster(workers: dict[str, int]) -> Iterator[Any]:
    """Start a cluster with these workers, and return its client, a `distributed.Client`."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            **workers,
            threads_per_worker=4,
            dashboard_address="127.0.0.1:0",
            silence_logs=False,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


# Events that the workers of a cluster send to the run, which writes them to its journal.

WriteEvent = Callable[[JournalEvent], None]


def write_only(event: JournalEvent, write: WriteEvent) -> None:
    """Write an event, as a run does without a test."""
    write(event)


def announced_change(event: JournalEvent) -> str:
    """Return the change that an event announces: "write" or "answer"; empty for any other event.

    A worker announces a change, and makes it when the announcement is written.
    """
    if isinstance(event, AnswerSent):
        return "answer"
    if isinstance(event, CallEvent) and event.is_under_way:
        return event.operation
    return ""


# A run whose trials play on the workers of a cluster, for a test to play and to disturb.
#
#     cluster = ClusterRun(client, resources, writer)
#     cluster.on_event = print_and_write      # print_and_write(event, write)
#     cluster.play()
#
# The workers send their events to the run, which hands each to `on_event` with the function that
# writes the event to the journal.


class ClusterRun:
    """A run, and the client of the cluster that plays its trials."""

    def __init__(
        self, client: Any, resources: RunResources, writer: JournalWriter
    ) -> None:
        self.client = client
        # `write_only` writes each event and does nothing else.
        self.on_event: Callable[[JournalEvent, WriteEvent], None] = write_only
        plan = RunPlan(resources.spec)
        self.run = Run(resources, writer, plan=plan)

    def _hand_to_test(self, event: JournalEvent) -> None:
        self.on_event(event, self.run.emit)

    def play(self) -> None:
        """Play the trials on the cluster. Raises `Unreachable` if a worker cannot play them."""
        from controlplane.workers.dask_workers import ClusterPlace

        run = self.run
        run.cluster = ClusterPlace(
            self.client, run.resources, self._hand_to_test, run.controls
        )
        begin_run(self.run)  # Writes the first events of the journal.
        self.run.play_trials()

    def kill_workers(self) -> None:
        """Kill the processes of all workers of the cluster."""
        for process_id in self.client.run(os.getpid).values():
            os.kill(process_id, signal.SIGKILL)


# A run of two trials on a small Dask cluster, whose events a test may look at.
#
#     def print_and_write(event, write):
#         print(event)
#         write(event)
#
#     with cluster_run(journal) as cluster:
#         cluster.on_event = print_and_write
#         cluster.play()
#
# Before a worker changes something, it sends the run an event, such as "I am about to call write",
# and waits until the event is in the journal.


@contextmanager
def cluster_run(
    journal: Path, *, concurrency: int = 4, workers: dict[str, int] = THREADS
) -> Iterator[ClusterRun]:
    """Start a cluster and open a run on it; close both at the end of the block.

    `cluster.play()` plays the run. `concurrency` is the number of trials that play at once.
    """
    settings = EFFECTS_RUN.model_copy(update={"concurrency": concurrency})
    with (
        local_cluster(workers) as client,
        open_resources(RunSpec(settings)) as resources,
        JournalWriter(journal, create=True) as writer,
    ):
        cluster = ClusterRun(client, resources, writer)
        try:
            yield cluster
        finally:
            cluster.run.close_place()


# Ports at which the processes of a run listen, and how many of them are protected by a certificate.


@dataclass(frozen=True)
class Listener:
    """A port at which a process of a run listens."""

    host: str
    port: int

    def answer(self, certificate: ssl.SSLContext | None = None) -> bytes:
        """Send an HTTP request, encrypted if there is a certificate; return the first line of
        the answer.

        Empty if the connection is closed without an answer.
        """
        with socket.create_connection((self.host, self.port), timeout=20) as peer:
            try:
                if certificate is not None:
                    peer = certificate.wrap_socket(peer)
                peer.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
                return peer.recv(1000).partition(b"\r\n")[0]
            except (ssl.SSLError, ConnectionError):
                return b""
            finally:
                peer.close()


def listeners_of(run: subprocess.Popen[str]) -> set[Listener]:
    """Return where a run and its child processes listen."""
    process = psutil.Process(run.pid)
    listeners: set[Listener] = set()
    for any_process in (process, *process.children(recursive=True)):
        # Children that run scripts may have ended meanwhile, and listen nowhere then.
        with suppress(psutil.NoSuchProcess):
            for connection in any_process.net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    listeners.add(Listener(*connection.laddr))
    return listeners


# Ports of a run that answer nobody without the certificate that the run has made for itself.


def certificate_of_another_run() -> ssl.SSLContext:
    """Return a certificate as every run makes one for itself.

    Whoever uses it accepts any certificate of the other side.
    """
    from distributed.security import Security

    arguments = Security.temporary().get_connection_args("worker")
    certificate: ssl.SSLContext = arguments["ssl_context"]
    certificate.verify_mode = ssl.CERT_NONE
    return certificate


def count_protected_ports(run: subprocess.Popen[str]) -> int:
    """Return at how many ports a run listens, without those of the web pages.

    Asserts that none can be reached from another machine, and that none answers us: neither
    without a certificate nor with that of another run.
    """
    certificate = certificate_of_another_run()
    protected_ports = 0
    for listener in listeners_of(run):
        assert listener.host == "127.0.0.1"
        answer = listener.answer()
        # Here Dask would serve web pages, which are switched off.
        if answer == b"HTTP/1.1 404 Not Found":
            continue
        assert answer == b""
        assert listener.answer(certificate) == b""
        protected_ports += 1
    return protected_ports


# Runs on a cluster that a test stops at an event, and that are resumed on threads.


def resume_on_threads(journal: Path) -> None:
    """Resume a stopped run without the cluster, play it to its end, and submit it."""
    with reopen_run(
        journal, plays_trials=True, consent=Consent(is_trusted=True)
    ) as run:
        run.play_trials()
        submit_run(run)


def write_then_act_at(
    number: int, event_type: type[JournalEvent], act: Callable[[], object]
) -> Callable[[JournalEvent, WriteEvent], None]:
    """Return a function that writes all events, and acts once, after one announcement is written.

    `write_then_act_at(4, CallEvent, kill)` kills before the fourth call, when it is announced.
    """
    count = 0

    def write_and_act(event: JournalEvent, write: WriteEvent) -> None:
        nonlocal count
        write(event)
        if isinstance(event, event_type) and announced_change(event):
            count += 1
            if count == number:
                act()

    return write_and_act


# Processes of Dask's programs on this machine, each with a log that tells when it is ready.
#
#     processes = LoggedProcesses(folder)
#     scheduler = processes.start("dask_scheduler", "--port", "0")
#     processes.wait_for_log(scheduler, re.compile(r"Scheduler at:\s+(\S+)"))   # "tcp://127.0.0.1:41235"
#
# Each process has an empty folder of its own below `folder`, with its log.

LONGEST_START_S = 60
"""How long a process may take until it writes that it is ready."""


class LoggedProcesses:
    """The processes that were started so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log_paths: dict[subprocess.Popen[bytes], Path] = {}
        """All processes, with the file that has the output of each."""

    def start(
        self, program: str, *arguments: str, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs, "dask_scheduler" or "dask_worker".

        It leads a group of processes, so that `close` can kill those that it starts.
        """
        home = self.folder / f"{program}-{len(self._log_paths)}"
        home.mkdir(parents=True)
        log_path = home / "log"
        environment = clean_environment(
            HOME=str(home),
            TMPDIR=str(home),
            DASK_TEMPORARY_DIRECTORY=str(home),
            **variables,
        )
        with log_path.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *arguments],
                cwd=home,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._log_paths[process] = log_path
        return process

    def wait_for_log(
        self, process: subprocess.Popen[bytes], pattern: re.Pattern[str]
    ) -> str:
        """Wait until a process has written what the pattern finds; return the pattern's group.

        Fails with the log if the process ends, or takes longer than `LONGEST_START_S`.
        """
        deadline = time.monotonic() + LONGEST_START_S
        while time.monotonic() < deadline:
            text = self._log_paths[process].read_text()
            match = pattern.search(text)
            if match:
                return match[1]
            assert process.poll() is None, text
            time.sleep(0.05)
        raise AssertionError(text)

    def close(self) -> None:
        """Kill all processes that still run."""
        for process in self._log_paths:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


# A Dask cluster on this machine: a scheduler and workers, as processes of their own.
#
# Dask spreads work over machines. `controlplane run --workers dask:ADDRESS` runs trials on such a
# cluster.
#
#     with dask_processes(tmp_path, workers=2) as cluster:
#         ...  # runs at cluster.address; kill one of cluster.workers, and see what happens

SCHEDULER_ADDRESS = re.compile(r"Scheduler at:\s+(\S+)")
"""Finds the address in the log of a scheduler: `Scheduler at: tcp://127.0.0.1:8786`."""

WORKER_IS_CONNECTED = re.compile(r"Starting established connection to (\S+)")
"""Finds the line in the log of a worker that says it has found its scheduler."""


class DaskProcesses:
    """A cluster: a scheduler, to which workers are added."""

    def __init__(self, folder: Path, *, tls: Sequence[str] = ()) -> None:
        """Start the scheduler. `tls` has the flags of all processes for encrypted connections."""
        self.tls = tls
        self.workers: list[subprocess.Popen[bytes]] = []
        self._processes = LoggedProcesses(folder)
        host = "tls://127.0.0.1" if tls else "tcp://127.0.0.1"
        self.scheduler = self._processes.start(
            "dask_scheduler", "--host", host, "--port", "0", "--no-dashboard", *tls
        )
        self.address = self._processes.wait_for_log(self.scheduler, SCHEDULER_ADDRESS)

    def add_worker(
        self, *flags: str, threads: int = 2, **variables: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker: `add_worker("--name", "w1", threads=1, HOME="/x")`.

        It may not be connected yet, see `wait_for_workers`.
        """
        all_flags = ("--nthreads", str(threads), "--no-nanny", "--no-dashboard", *flags)
        worker = self._processes.start(
            "dask_worker", self.address, *all_flags, *self.tls, **variables
        )
        self.workers.append(worker)
        return worker

    def wait_for_workers(self) -> None:
        """Wait until every worker that runs is connected to the scheduler."""
        for worker in self.workers:
            if worker.poll() is None:
                self._processes.wait_for_log(worker, WORKER_IS_CONNECTED)

    def close(self) -> None:
        """Kill all processes that still run."""
        self._processes.close()


@contextmanager
def dask_processes(
    folder: Path, workers: int, *, threads: int = 2, tls: Sequence[str] = ()
) -> Iterator[DaskProcesses]:
    """Start a cluster of `workers` connected workers; kill its processes at the block's end."""
    cluster = DaskProcesses(folder, tls=tls)
    try:
        for _ in range(workers):
            cluster.add_worker(threads=threads)
        cluster.wait_for_workers()
        yield cluster
    finally:
        cluster.close()


# The lines of a journal without what differs from run to run, so that two equal runs are equal.
#
# Times become 0, as in `"elapsed_ms":0`, and ids of runs become fixed words. Hashes and the number of
# workers are left out.

VARYING_FIELDS = {
    type_of(event_class): fields_marked(event_class, VARIES_BY_RUN)
    for event_class in event_classes()
}
"""The fields of each type of event that vary from run to run, such as `elapsed_ms`."""
RUN_ID_ENDING = re.compile(r'"run_id":"[^"]*-([0-9a-f]{8})"')
"""Finds the random ending of the run's id, as in `"run_id":"local-0f3a91bc"`."""


def lines_without_times(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the one journal below `folder`, by what they belong to.

        {"t1": [...],       the lines of the trial t1
         "texts": [...],    long texts, sorted by their keys
         "": [...]}         the lines of the run itself

    Trials that run side by side write their lines and texts in any order. The journal needs to
    have a long text.
    """
    (path,) = (folder / "runs").glob("*.jsonl")
    text = _without_run_ids(path.read_text(), file_name=path.stem)

    lines: dict[str, list[dict[str, Any]]] = {}
    for line in text.splitlines():
        fields = without_chain(json.loads(line))
        fields |= dict.fromkeys(VARYING_FIELDS[fields["type"]], 0)
        if fields["type"] == "run_opened":
            fields["settings"] = _without_workers(fields["settings"])
        lines.setdefault(_writer_of(fields), []).append(fields)
    lines["texts"].sort(key=lambda fields: str(fields["key"]))
    return lines


def _without_run_ids(text: str, file_name: str) -> str:
    """Return a journal's text with fixed words for the ids of the run.

    The file's name becomes `JOURNAL`. The benchmark has another id for the run, `local-0f3a91bc`:
    its random ending becomes `RUN` here and in the ids of trials, which may have this ending.
    """
    text = text.replace(file_name, "JOURNAL")
    run_id_ending = RUN_ID_ENDING.search(text)
    if run_id_ending:
        text = text.replace(run_id_ending[1], "RUN")
    return text


def _without_workers(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a run's settings except the number of its workers."""
    return [setting for setting in settings if setting["name"] != "workers"]


def _writer_of(fields: dict[str, Any]) -> str:
    """Return who wrote a line: the id of a trial, "texts" for a long text, or "" for the run."""
    if "trial_id" in fields:
        return str(fields["trial_id"])
    if fields["type"] == "text":
        return "texts"
    return ""


# A Dask cluster with certificates takes only runs that have one.
#
# Dask spreads work over many machines: `controlplane run --workers dask:ADDRESS`. Whoever can talk to
# a cluster can run code on it, so that one on several machines must have certificates (TLS).

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

certificates_pytestmark = pytest.mark.second_tier


@pytest.fixture
def key_and_certificate(tmp_path: Path) -> tuple[Path, Path]:
    """The files of a key and of a certificate for it, which a cluster and its runs may share."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key = tmp_path / "key.pem"
    certificate = tmp_path / "certificate.pem"
    command = (
        f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster "
        f"-keyout {key} -out {certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return key, certificate


@pytest.mark.heavy
def test_a_cluster_with_certificates_takes_only_runs_that_have_one(
    tmp_path: Path, key_and_certificate: tuple[Path, Path]
) -> None:
    """A run with the certificate plays on the cluster, and a run without one is refused."""
    key, certificate = map(str, key_and_certificate)
    # Dask's processes get the certificate by options, and the run by Dask's own variables.
    options = (
        "--tls-ca-file",
        certificate,
        "--tls-cert",
        certificate,
        "--tls-key",
        key,
    )
    variables = {
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": certificate,
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": certificate,
        "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": key,
    }

    with dask_processes(tmp_path, workers=1, tls=options) as cluster:
        run = ("run", "--limit", "4", "--json", "--workers", f"dask:{cluster.address}")
        # Dask reads its variables when it is imported, so the run is a new Python process.
        python_run = ("-m", "controlplane", *run)
        accepted = run_python(*python_run, cwd=tmp_path, **variables)
        refused = run_python(*python_run, cwd=tmp_path)

    assert cluster.address.startswith("tls://")
    assert accepted.code == 0, accepted.err
    assert accepted.json["trials_scored"] == 4
    assert refused.code == Unreachable.exit_code, refused.err


# A run on a Dask cluster whose scheduler is killed stops, and can be resumed on threads.
#
# Dask spreads work over many machines: a *scheduler* hands the trials of the run to *workers*. The
# run gets its address: `controlplane run --workers dask:ADDRESS`.

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

killed_scheduler_pytestmark = pytest.mark.second_tier


def count_ended_trials(folder: Path) -> int:
    """Return how many trials have ended by the journal of the run in a folder."""
    ended_trials = 0
    for journal in (folder / "runs").glob("*.jsonl"):
        ended_trials += journal.read_bytes().count(b'"type":"trial_ended"')
    return ended_trials


@pytest.mark.heavy
def test_a_run_whose_scheduler_is_killed_can_be_resumed(tmp_path: Path) -> None:
    """The scheduler is killed when two of 30 trials have ended. The run is resumed on
    threads."""
    trials = 30
    with dask_processes(tmp_path, workers=2) as cluster:
        run = start_controlplane(
            "run",
            "--limit",
            str(trials),
            "--workers",
            f"dask:{cluster.address}",
            "--quiet",
            cwd=tmp_path,
        )
        # Three processes import all that a run needs, perhaps on a busy machine.
        wait_until(lambda: count_ended_trials(tmp_path) >= 2, within_s=120)
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        stopped = wait_for_exit(run)
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


# Workers that a run cannot use, or that would be unsafe, are refused in one line.
#
# `controlplane run --workers dask:192.0.2.1:8786` names a cluster on another machine. Without
# certificates (TLS), scripts and keys would travel there unencrypted: "has no TLS".

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

unusable_workers_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("workers", "error"),
    [
        pytest.param(
            "dask:192.0.2.1:8786", "has no TLS", id="another machine without encryption"
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
    """The command is refused before anything is recorded."""
    result = run_in_process("run", "--workers", workers, "--quiet", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, error)
    assert not (tmp_path / "runs").exists()


def test_a_cluster_does_not_play_without_the_servers_that_the_user_names(
    tmp_path: Path,
) -> None:
    """Its trials would lack the tools, and be scored all the same."""
    server = f"loans={sys.executable} server.py"
    words = ["run", "--limit=1", "--workers=dask:local:1", "--quiet", "--mcp", server]
    result = run_in_process(*words, cwd=tmp_path)

    check_error_line(
        result, UsageError.exit_code, "a cluster does not start MCP servers (loans)"
    )
    assert not list(tmp_path.glob("runs/*.jsonl"))


# Workers that a run starts on its own machine, `controlplane run --workers dask:local:2`, obey nobody else.
#
# The run starts a Dask scheduler and two workers, processes that listen at ports of 127.0.0.1. Other
# users of the machine can connect to these ports. So the processes talk only to holders of a
# certificate that the run has made for itself.

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

local_dask_pytestmark = pytest.mark.second_tier


def a_trial_has_started(folder: Path) -> bool:
    """Return whether the journal of the run in a folder has the start of a trial."""
    for journal in (folder / "runs").glob("*.jsonl"):
        if b'"type":"trial_started"' in journal.read_bytes():
            return True
    return False


def play_three_trials(folder: Path, *, workers: str) -> int:
    """Run three trials; return how many protected ports the run had while it played them."""
    folder.mkdir()
    run = start_controlplane(
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
        # Three processes import all that a run needs, perhaps on a busy machine.
        wait_until(lambda: a_trial_has_started(folder), within_s=120)
        protected_ports = count_protected_ports(run)
        result = wait_for_exit(run, within_s=400)
    finally:
        run.kill()
    assert result.err == ""
    assert result.code in (0, 1)  # 1 if a trial has no answer
    return protected_ports


def test_workers_on_this_machine_write_the_journal_of_threads_and_obey_nobody_else(
    tmp_path: Path,
) -> None:
    """The journals are equal but for times. A run on threads does not listen at any port."""
    ports_of_threads = play_three_trials(tmp_path / "threads", workers="threads")
    ports_of_dask = play_three_trials(tmp_path / "dask", workers="dask:local:1")

    assert ports_of_threads == 0
    assert ports_of_dask >= 3  # of the run, of its scheduler and of the worker
    lines_of_threads = lines_without_times(tmp_path / "threads")
    assert lines_without_times(tmp_path / "dask") == lines_of_threads


# A worker of a cluster makes a change only after its announcement is in the journal.
#
# Otherwise a change could be made that a resumed run does not know of, and makes again.

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

announced_changes_pytestmark = pytest.mark.second_tier


def test_a_worker_makes_no_change_before_it_is_announced_in_the_journal(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """Before an announcement is written, the test looks whether the change has been made."""
    announced: Counter[str] = Counter()
    early_changes: list[str] = []

    def look_and_write(event: JournalEvent, write: WriteEvent) -> None:
        change = announced_change(event)
        if change in EACH_EFFECT_ONCE:
            time.sleep(0.2)  # A worker that does not wait makes its change meanwhile.
            made = sum(effects[change] for effects in benchmark.effects.values())
            if made > announced[change]:
                early_changes.append(change)
            announced[change] += 1
        write(event)

    with cluster_run(tmp_path / "run.jsonl", concurrency=1) as cluster:
        cluster.on_event = look_and_write
        cluster.play()

    assert announced["write"] == 2  # one in each of two trials
    assert announced["answer"] == 2
    assert early_changes == []


# A run whose workers are killed is resumed, and no change is lost or made twice.
#
# The workers of a cluster play the trials of a run. A worker announces each call that changes
# something, and makes the call when the announcement is in the journal. So a resumed run knows which
# calls may have been made.

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

killed_workers_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("number", "announcement"),
    [
        pytest.param(4, CallEvent, id="at the fourth call"),
        pytest.param(2, AnswerSent, id="at the second answer"),
    ],
)
def test_a_trial_whose_worker_is_killed_is_resumed_with_every_change_made_once(
    number: int,
    announcement: type[JournalEvent],
    tmp_path: Path,
    benchmark: EffectCounterBenchmark,
) -> None:
    """All workers are killed when this call, or this answer, is announced."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, workers=TWO_PROCESSES) as cluster:
        cluster.on_event = write_then_act_at(number, announcement, cluster.kill_workers)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    reasons = [trial.reason for trial in stopped_trials.values()]
    assert "its worker was lost" in reasons
    resumed = open_journal(journal)
    assert resumed.summary.trials.mean_score == 1.0
    changes_of_a_trial = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [changes_of_a_trial, changes_of_a_trial]
    verify(resumed, list(resumed.trials))  # Raises an error if a replay differs.


# A user stops a run whose trials play on a cluster, and resumes the run without the cluster.

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

stopped_clusters_pytestmark = pytest.mark.second_tier


def test_a_stop_reaches_the_workers_and_threads_resume_the_run(
    tmp_path: Path, benchmark: EffectCounterBenchmark
) -> None:
    """The run of two trials is stopped, as by Ctrl-C, when the first call is announced."""
    journal = tmp_path / "run.jsonl"
    with cluster_run(journal, concurrency=2) as cluster:
        cluster.on_event = write_then_act_at(1, CallEvent, cluster.run.stop)
        cluster.play()
    stopped_trials = open_journal(journal).summary.trials

    resume_on_threads(journal)

    # At least one trial was stopped before its answer, and no worker went on with its trial.
    assert stopped_trials.count("answered") < 2
    assert stopped_trials.count("running") == 0
    # Afterwards both trials are complete, and each has made every change once.
    resumed = open_journal(journal)
    assert resumed.summary.trials.count("answered") == 2
    changes_of_a_trial = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [changes_of_a_trial, changes_of_a_trial]
    verify(resumed, list(resumed.trials))  # Raises an error if a replay differs.


if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


# A run refuses to begin if a worker of its cluster does not have what the run needs.
#
# The run sends each worker a work order, which says what it needs: the version of the program
# (`source_digest`), its settings and their files (`spec`), keys in environment variables, and the
# version of the benchmark's worlds.


WITH_ABSENT_FILE = EFFECTS_RUN.model_copy(update={"model": "scripted:gone.toml"})


@pytest.mark.parametrize(
    ("field", "needed", "error"),
    [
        pytest.param(
            "source_digest", "other", "another version of the program", id="program"
        ),
        pytest.param("spec", RunSpec(WITH_ABSENT_FILE), "gone.toml", id="file"),
        pytest.param(
            "required_variables",
            # Only the first one is set in this test.
            ("BITGN_API_KEY", "ABSENT_KEY"),
            "has no key in ABSENT_KEY; set it in the worker's environment",
            id="key",
        ),
        pytest.param(
            "world_version",
            "0",
            "it has worlds '.*', and the run has worlds '0'",
            id="worlds",
        ),
    ],
)
@pytest.mark.usefixtures("benchmark")
def test_a_worker_that_does_not_have_what_the_run_needs_is_refused(
    field: str,
    needed: Any,
    error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One field of the order asks for something that no worker has."""
    from controlplane.workers import dask_workers  # Needs the library "distributed".

    right_order = dask_workers.work_order
    monkeypatch.setattr(
        dask_workers,
        "work_order",
        lambda run: replace(right_order(run), **{field: needed}),
    )

    with (
        cluster_run(tmp_path / "run.jsonl") as cluster,
        pytest.raises(Unreachable, match=error),
    ):
        cluster.play()

    assert not (tmp_path / "run.jsonl").exists()
