"""What becomes of trials that a run hands to workers: what comes of them, and what losses cost."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.events import AnswerSent, CallSent, ModelReplied, Noticed
from agent.loop import ResumeState
from agent.retry import RetryBudget, RunBudget
from benchmarks.bitgn.server import ServerOptions, running_server
from controlplane.benchmark import TrialHead
from controlplane.configuration import trial_settings
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import JournalUnwritable, Unreachable
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_lines import EncodedEvent, encode_event
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunNotice, TrialEnded, TrialLeftOpen
from controlplane.lifecycle.run_lifecycle import Run, take_up
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.replay.verification import verify
from controlplane.workers import dask_workers, worker
from controlplane.workers.channel import Assignment, Connection, Orders, Report
from controlplane.workers.dispatcher import Dispatcher, RunWorker
from controlplane.workers.worker import SharedRetries, Worker
from tests.support.command import ROOT, wait_until
from tests.support.effect_counter import Tally
from tests.support.thread_cluster import ThreadCluster

TALLY = RunSettings(
    benchmark="bitgn:tally",
    model=f"scripted:{ROOT / 'tests/support/effect_counter.toml'}",
    rules="none",
    gates="none",
    concurrency=4,
    poll_time=5,
)
TRIALS = 2
ONCE = {"write": 1, "delete": 1, "bump": 1, "answer": 1}


@contextmanager
def a_run(settings: RunSettings, journal: Path, cluster: ThreadCluster) -> Iterator[Run]:
    with RunResources(RunSpec(settings)) as resources, JournalWriter(journal, create=True) as writer:
        run = Run(resources, writer, open_workers=cluster.open_workers)
        try:
            yield run
        finally:
            run.dismiss()


@pytest.fixture
def tally(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tally]:
    """The benchmark that counts every effect, served on a port of its own."""
    tally = Tally(TRIALS)
    with running_server(tally, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        yield tally


def played(run: Run) -> int:
    run.staff()
    run.start({}, ())
    run.work()
    run.submit()
    return run.close()


def cut_when(cluster: ThreadCluster, kind: type[JournalEvent], count: int = 1) -> None:
    """Cut the channel once so many events of a kind are written."""
    numbers = itertools.count(1)

    def cut(event: JournalEvent) -> None:
        if isinstance(event, kind) and next(numbers) == count:
            cluster.cut()

    cluster.after = cut


def content_of(path: Path) -> Journal:
    content = open_journal(path)
    verify(content, list(content.trials))
    return content


class PlayedWorker:
    """A worker whose reports a test writes by hand."""

    def __init__(self, run: Dispatcher, room: int = 1) -> None:
        self.connection, self.attending = joined(run, room)
        self.told = 0
        self.report()

    def report(self, *events: tuple[str, JournalEvent], over: tuple[str, ...] = ()) -> None:
        self.told += 1
        encoded = [(name, encode_event(event, noted=event)) for name, event in events]
        told = [(name, dict(event.texts), event.noted) for name, event in encoded]
        report = Report(number=self.told, events=told, over=tuple((name, None) for name in over))
        self.connection.send(report, [event.body for _, event in encoded])

    def given(self) -> Assignment:
        while not (trials := self.connection.receive(Orders)[0].trials):
            pass
        return trials[0]

    def leave(self) -> None:
        self.connection.close()
        self.attending.join()


def joined(run: Dispatcher, room: int) -> tuple[Connection, threading.Thread]:
    """The connection of a new worker, and the thread that follows it."""
    ours, theirs = socket.socketpair()
    attended = RunWorker(Connection(ours, silence_s=None), room)
    attending = threading.Thread(target=run.attend, args=(attended,))
    attending.start()
    return Connection(theirs, silence_s=60), attending


@contextmanager
def dispatcher(
    emit: Callable[[JournalEvent], None], *, most_losses: int = 1, budget: RunBudget | None = None
) -> Iterator[Dispatcher]:
    """The dispatcher of a run, whose events `emit` takes."""

    def taken(event: JournalEvent | EncodedEvent) -> None:
        emit(event.noted if isinstance(event, EncodedEvent) else event)

    with RunResources(RunSpec(RunSettings()), budget=budget) as resources:
        controls = RunControls(stop=resources.context.stop)
        run = Dispatcher(resources, taken, controls, most_losses=most_losses, on_close=lambda: None)
        yield run
        run.close()


def ended(trial_id: str) -> TrialEnded:
    return TrialEnded(trial_id=trial_id, how="answered", reason="", elapsed_ms=1.0)


def test_the_next_trial_is_given_out_before_what_happened_in_the_last_is_written() -> None:
    may_write = threading.Event()
    with dispatcher(lambda event: may_write.wait(10)) as run:
        first, second = (run.submit(TrialHead(name, "task"), ResumeState()) for name in ("t1", "t2"))
        played = PlayedWorker(run)
        assert played.given().head.trial_id == "t1"
        played.report(("1:t1", ended("t1")), over=("1:t1",))
        assert played.given().head.trial_id == "t2"
        assert not first.done()
        may_write.set()
        assert first.result(timeout=10) is None
        assert not second.done()
        played.leave()
        assert second.result(timeout=10) is None


def test_an_event_that_cannot_be_written_ends_the_run() -> None:
    def emit(event: JournalEvent) -> None:
        raise OSError("no such disk")

    with dispatcher(emit) as run:
        over = [run.submit(TrialHead(name, "task"), ResumeState()) for name in ("t1", "t2")]
        played = PlayedWorker(run)
        played.report(("", RunNotice(text="what happened")))
        for each in over:
            with pytest.raises(OSError, match="no such disk"):
                each.result(timeout=10)
        played.leave()


@pytest.mark.parametrize(("most_losses", "workers"), [(1, 1), (4, 4)])
def test_a_trial_is_left_open_once_it_has_lost_so_many_workers(most_losses: int, workers: int) -> None:
    events: list[JournalEvent] = []
    with dispatcher(events.append, most_losses=most_losses) as run:
        over = run.submit(TrialHead("t1", "task"), ResumeState())
        for number in range(workers):
            assert not over.done()
            played = PlayedWorker(run)
            assert played.given().attempt == f"{number + 1}:t1"
            played.leave()
        assert over.result(timeout=10) is None
    assert [type(event) for event in events] == [Noticed] * (workers - 1) + [TrialLeftOpen]


def test_a_trial_whose_end_is_written_is_over_whatever_becomes_of_its_worker() -> None:
    events: list[JournalEvent] = []
    with dispatcher(events.append) as run:
        over = run.submit(TrialHead("t1", "task"), ResumeState())
        played = PlayedWorker(run)
        played.report((played.given().attempt, ended("t1")))
        played.leave()
        assert over.result(timeout=10) is None
    assert [event.type for event in events] == ["trial_ended"]


def test_a_worker_that_tells_of_another_ones_trial_is_given_up() -> None:
    events: list[JournalEvent] = []
    with dispatcher(events.append) as run:
        over = run.submit(TrialHead("t1", "task"), ResumeState())
        played = PlayedWorker(run)
        name = played.given().attempt
        other = PlayedWorker(run)
        wait_until(lambda: len(run.places) == 2)
        other.report((name, ended("t1")))
        other.attending.join()
        assert (events, over.done()) == ([], False)
        other.leave()
        played.leave()


def test_whatever_breaks_at_a_worker_is_told_to_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(*given: object) -> None:
        raise SystemExit("left")

    monkeypatch.setattr(worker, "run_trial", leave)
    with dispatcher(lambda event: None) as run, serving(run):
        over = run.submit(TrialHead("t1", "task"), ResumeState())
        with pytest.raises(Unreachable, match="left"):
            over.result(timeout=10)


@contextmanager
def serving(run: Dispatcher) -> Iterator[SharedRetries]:
    """A real worker on threads of this process; gives what it has of the run's retries."""
    connection, attending = joined(run, 1)
    worker = Worker(connection, on_lost=lambda: None)
    retries = SharedRetries(worker, 3)
    with RunResources(RunSpec(RunSettings()), budget=RunBudget(retries)) as resources:
        served = threading.Thread(target=worker.serve, args=(resources,))
        served.start()
        wait_until(lambda: run.places)
        yield retries
        connection.close()
        served.join()
        attending.join()


def test_all_workers_together_have_the_retries_and_the_pauses_of_one_run() -> None:
    budget = RunBudget(RetryBudget(3))
    with dispatcher(lambda event: None, budget=budget) as run, serving(run) as one, serving(run) as other:
        assert [(one, other)[number % 2].take() for number in range(5)] == [True] * 3 + [False] * 2
        played = PlayedWorker(run)
        played.report(("", ModelReplied(trial_id="t1", step=1, reply="")))
        one.pause(30)
        wait_until(lambda: other.paused_s() > 20)
        played.leave()
        assert other.take()
        assert not one.take()


@pytest.mark.parametrize(("kind", "count"), [(CallSent, 4), (AnswerSent, 2)])
def test_a_trial_whose_channel_is_cut_goes_on_from_the_journal_and_does_nothing_twice(
    tmp_path: Path, tally: Tally, kind: type[JournalEvent], count: int
) -> None:
    cluster = ThreadCluster()
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run:
        cut_when(cluster, kind, count)
        assert played(run) == 0
    assert cluster.enlisted >= 2
    expected = {f"run1-{number}": ONCE for number in range(TRIALS)}
    assert {name: dict(each) for name, each in tally.effects.items()} == expected
    content = content_of(tmp_path / "run.jsonl")
    assert content.summary.mean_score == 1.0
    assert any("its worker was lost" in notice for notice in content.summary.notices)


def test_a_stop_reaches_workers_and_the_run_is_resumed_on_threads(tmp_path: Path, tally: Tally) -> None:
    path, cluster = tmp_path / "run.jsonl", ThreadCluster()
    with a_run(TALLY.model_copy(update={"concurrency": 2}), path, cluster) as run:
        cluster.after = lambda event: run.stop() if isinstance(event, CallSent) else None
        run.staff()
        run.start({}, ())
        run.work()
    left = open_journal(path).summary
    assert left.count("answered") < TRIALS
    assert left.count("running") == 0
    with take_up(path, works=True, accepted=("benchmark", "set")) as (run, resume_states):
        run.work(resume_states)
        run.submit()
    summary = content_of(path).summary
    assert summary.count("answered") == TRIALS, [(trial.state, trial.reason) for trial in summary.trials.values()]
    assert {tuple(sorted(effect.items())) for effect in tally.effects.values()} == {tuple(sorted(ONCE.items()))}


@pytest.mark.parametrize("told", [{}, None, {"workers": {}}])
def test_a_lost_cluster_pauses_the_run_and_leaves_its_trials_open(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch, told: object
) -> None:
    monkeypatch.setattr(dask_workers, "LOOK_S", 0.05)
    path, cluster = tmp_path / "run.jsonl", ThreadCluster()
    with a_run(TALLY, path, cluster) as run:

        def lose(event: JournalEvent) -> None:
            if isinstance(event, CallSent):
                cluster.status, cluster.info = "closed", told

        cluster.after = lose
        run.staff()
        run.start({}, ())
        run.work()
        assert isinstance(run.paused, Unreachable)
    summary = open_journal(path).summary
    assert summary.count("running") == 0
    assert summary.left > 0


def test_a_journal_that_cannot_be_written_ends_the_run_before_any_further_answer(tmp_path: Path, tally: Tally) -> None:
    cluster = ThreadCluster()
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run:

        def fail(event: JournalEvent) -> None:
            if isinstance(event, AnswerSent):
                raise JournalUnwritable("the disk is full")

        cluster.before = fail
        run.staff()
        run.start({}, ())
        with pytest.raises(JournalUnwritable, match="disk is full"):
            run.work()
    assert sum(effect["answer"] for effect in tally.effects.values()) == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"code": "another"}, "another version of the program"),
        ({"token": "g" * 64}, "its token is not the run's"),
        (
            {"spec": RunSpec(RunSettings(benchmark="bitgn:tally", model="scripted:gone.toml", rules="none"))},
            "gone.toml",
        ),
        ({"url": "tcp://127.0.0.1:9"}, "cannot reach the run"),
        ({"needs": ("BITGN_API_KEY", "ABSENT_KEY")}, "has no key in ABSENT_KEY; set it in the worker's environment"),
    ],
)
@pytest.mark.usefixtures("tally")
def test_a_worker_that_is_not_fit_is_refused_and_nothing_begins(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    cluster = ThreadCluster(**changes)
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run, pytest.raises(Unreachable, match=says):
        run.staff()
    assert cluster.status == "closed"
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("differs", "says"),
    [({"python": "3.9.1"}, "it has Python 3.9, and the run has Python"), ({"world": "0"}, "its worlds have version")],
)
@pytest.mark.usefixtures("tally")
def test_a_worker_that_would_play_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, differs: dict[str, str], says: str
) -> None:
    versions = RunResources.versions
    theirs = iter([{}, differs])  # the run's own, and then the worker's
    monkeypatch.setattr(RunResources, "versions", lambda each: versions(each).model_copy(update=next(theirs)))
    with a_run(TALLY, tmp_path / "run.jsonl", ThreadCluster()) as run, pytest.raises(Unreachable, match=says):
        run.staff()


@pytest.mark.usefixtures("tally")
def test_a_worker_without_a_wall_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_settings, "missing_wall", lambda server, walls: "the kernel wall does not stand")
    with a_run(TALLY, tmp_path / "run.jsonl", ThreadCluster()) as run, pytest.raises(Unreachable, match="kernel wall"):
        run.staff()


def test_keys_travel_by_the_channel_alone_and_are_forgotten(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITGN_API_KEY", "s3cr3t-k3y")
    cluster = ThreadCluster()
    with a_run(TALLY.model_copy(update={"send_keys": True}), tmp_path / "run.jsonl", cluster) as run:
        cluster.before_enlisting = lambda: os.environ.pop("BITGN_API_KEY")
        run.staff()
        assert os.environ["BITGN_API_KEY"] == "s3cr3t-k3y"
        run.start({}, ())
        run.work()
    wait_until(lambda: "BITGN_API_KEY" not in os.environ)
    assert "s3cr3t-k3y" not in (tmp_path / "run.jsonl").read_text() + cluster.told
    assert len(tally.effects) == TRIALS
