"""Trials of a run on workers that share nothing with it but the channel: what comes of them, and what losses cost."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent.events import AnswerSent, CallSent
from agent.retry import RetryBudget, RunBudget
from benchmarks.bitgn.server import ServerOptions, running_server
from controlplane.cluster import cluster_workers, enlisted_worker
from controlplane.cluster.channel_server import ChannelServer
from controlplane.cluster.cluster_workers import ClusterWorkers
from controlplane.cluster.event_channel import EventChannel
from controlplane.cluster.framed_connection import FramedConnection
from controlplane.cluster.shipped_data import Hello, Welcome
from controlplane.configuration import wall_check
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import JournalUnwritable, Unreachable
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.resumption import take_up
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.lifecycle.trial_lifecycle import RunControls
from controlplane.replay.verification import verify
from tests.support.command import ROOT, wait_until
from tests.support.effect_counter import Tally
from tests.support.many_trials import SCRIPT
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
            assert cluster.relay
            cluster.relay.cut()

    cluster.after = cut


def content_of(path: Path) -> Journal:
    content = open_journal(path)
    verify(content, list(content.trials))
    return content


def test_trials_land_in_the_same_journal_with_the_same_scores(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    settings = RunSettings(benchmark="tests.support.many_trials:3", model=f"scripted:{script}", concurrency=4)
    cluster = ThreadCluster()
    with a_run(settings, tmp_path / "run.jsonl", cluster) as run:
        run.staff()
        run.start({}, ())
        run.work()
    assert cluster.is_closed
    assert cluster.tasks == 3
    summary = content_of(tmp_path / "run.jsonl").summary
    assert {name: each.score for name, each in summary.trials.items()} == {
        f"seat-{number:03}-t{number - 1}": float(number % 5 != 0) for number in range(1, 4)
    }


@pytest.mark.parametrize(("kind", "count"), [(CallSent, 4), (AnswerSent, 2)])
def test_a_trial_whose_channel_is_cut_goes_on_from_the_journal_and_does_nothing_twice(
    tmp_path: Path, tally: Tally, kind: type[JournalEvent], count: int
) -> None:
    cluster = ThreadCluster()
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run:
        cut_when(cluster, kind, count)
        assert played(run) == 0
    assert cluster.relay is not None
    assert cluster.relay.connections >= 2
    assert cluster.tasks > TRIALS
    expected = {f"run1-{each}": ONCE for each in range(TRIALS)}
    assert {name: dict(each) for name, each in tally.effects.items()} == expected
    content = content_of(tmp_path / "run.jsonl")
    assert content.summary.mean_score == 1.0
    assert any("its worker was lost" in each for each in content.summary.notices)


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
    resumption = take_up(path, works=True)
    resumption.run.work(resumption.resume_states)
    resumption.run.submit()
    resumption.close()
    summary = content_of(path).summary
    assert summary.count("answered") == TRIALS, [(each.state, each.reason) for each in summary.trials.values()]
    assert {tuple(sorted(each.items())) for each in tally.effects.values()} == {tuple(sorted(ONCE.items()))}


def test_a_lost_cluster_pauses_the_run_and_leaves_its_trials_open(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_workers, "LOOK_S", 0.05)
    path, cluster = tmp_path / "run.jsonl", ThreadCluster()
    with a_run(TALLY, path, cluster) as run:

        def lose(event: JournalEvent) -> None:
            if isinstance(event, CallSent):
                cluster.failure = "the scheduler was lost"

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
    assert sum(each["answer"] for each in tally.effects.values()) == 0


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"code": "another"}, "another version of the program"),
        ({"token": "guessed"}, "its token is not that of the run"),
        (
            {"spec": RunSpec(RunSettings(benchmark="bitgn:tally", model="scripted:gone.toml", rules="none"))},
            "gone.toml",
        ),
        ({"port": 9}, "does not reach the run"),
        ({"is_encrypted": True}, "has no certificate"),
    ],
)
@pytest.mark.usefixtures("tally")
def test_a_worker_that_is_not_fit_is_refused_and_nothing_begins(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    cluster = ThreadCluster(**changes)
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run, pytest.raises(Unreachable, match=says):
        run.staff()
    assert cluster.is_closed
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("differs", "says"),
    [({"python": "3.9.1"}, "it has Python 3.9, and the run has Python"), ({"world": "0"}, "its worlds are of version")],
)
@pytest.mark.usefixtures("tally")
def test_a_worker_that_would_play_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, differs: dict[str, str], says: str
) -> None:
    real = enlisted_worker.current_versions
    monkeypatch.setattr(enlisted_worker, "current_versions", lambda *told: real(*told).model_copy(update=differs))
    with a_run(TALLY, tmp_path / "run.jsonl", ThreadCluster()) as run, pytest.raises(Unreachable, match=says):
        run.staff()


@pytest.mark.usefixtures("tally")
def test_a_worker_without_a_wall_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall_check, "missing_wall", lambda server, walls: "the kernel wall does not stand")
    with a_run(TALLY, tmp_path / "run.jsonl", ThreadCluster()) as run, pytest.raises(Unreachable, match="kernel wall"):
        run.staff()


@pytest.mark.parametrize("key", ["BITGN_API_KEY", "MODEL_KEY"])
@pytest.mark.usefixtures("tally")
def test_a_worker_without_a_key_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("MODEL_KEY", "k")
    asked = {"model": "any", "base_url": "http://127.0.0.1:9/v1", "api_key_env": "MODEL_KEY"}
    settings = TALLY.model_copy(update=asked)
    with a_run(settings, tmp_path / "run.jsonl", ThreadCluster()) as run:
        monkeypatch.delenv(key)
        with pytest.raises(Unreachable, match=key):
            run.staff()


def test_all_workers_together_have_the_retries_and_the_pauses_of_one_run() -> None:
    budget = RunBudget(RetryBudget(3))
    with RunResources(RunSpec(RunSettings(model="baseline")), budget=budget) as resources:
        controls = RunControls(stop=resources.context.stop, pause=lambda error: None)
        servers: list[ChannelServer] = []

        def server(desk: ClusterWorkers) -> ChannelServer:
            servers.append(ChannelServer("127.0.0.1", 0, context=None, keys={}, desk=desk))
            return servers[0]

        workers = ClusterWorkers((resources, lambda event: None, controls), ThreadCluster(), server)
        channels = [channel_to(servers[0]) for _ in range(2)]
        try:
            assert [channels[number % 2].retries.take() for number in range(5)] == [True] * 3 + [False] * 2
            channels[0].retries.give_back()
            wait_until(budget.retries.take)
            channels[0].retries.pause(30)
            wait_until(lambda: channels[1].retries.paused_s() > 20)
        finally:
            workers.close()


def channel_to(server: ChannelServer) -> EventChannel:
    """The end of a worker's channel."""
    connection = FramedConnection(socket.create_connection(("127.0.0.1", server.port)))
    connection.send(Hello(token=server.token, place="here"))
    assert not connection.receive(Welcome).refusal
    channel = EventChannel(connection, lambda answer: None, retries=3)
    threading.Thread(target=channel.serve, daemon=True).start()
    return channel


def test_keys_travel_by_the_channel_alone_and_are_forgotten(tmp_path: Path, tally: Tally) -> None:
    cluster = ThreadCluster(keys={"TALLY_SECRET": "s3cr3t-k3y"})
    with a_run(TALLY, tmp_path / "run.jsonl", cluster) as run:
        run.staff()
        assert os.environ["TALLY_SECRET"] == "s3cr3t-k3y"
        run.start({}, ())
        run.work()
    assert "s3cr3t-k3y" not in (tmp_path / "run.jsonl").read_text()
    assert len(tally.effects) == TRIALS
