import multiprocessing
import pickle
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

import pytest

from agent.loop import ResumeState
from benchmarks.bitgn.server import ServerOptions, running_server
from controlplane import TrialHead
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_content import open_journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.fan_out import run_elsewhere
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.replay.verification import verify
from tests.support.command import ROOT
from tests.support.effect_counter import Tally

SCRIPT = ROOT / "tests/support/effect_counter.toml"


def processes(count: int) -> Executor:
    return ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))


def spec() -> RunSpec:
    return RunSpec(
        RunSettings(benchmark="bitgn:tally", model=f"scripted:{SCRIPT}", rules="none", concurrency=2, poll_time=5)
    )


def test_what_a_trial_needs_to_run_elsewhere_can_be_pickled() -> None:
    parcel = (spec(), TrialHead("t", "x"), ResumeState())
    assert pickle.loads(pickle.dumps(parcel)) == parcel
    assert pickle.loads(pickle.dumps(run_elsewhere)) is run_elsewhere


def test_trials_run_in_a_pool_of_processes_and_land_in_the_same_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Tally(6)
    with running_server(tally, ServerOptions()) as server:
        monkeypatch.setenv("BITGN_HOST", server.url)
        monkeypatch.setenv("BITGN_API_KEY", "k")
        with (
            RunResources(spec()) as resources,
            JournalWriter(tmp_path / "run.jsonl", create=True) as journal,
        ):
            run = Run(resources, journal, executor=processes)
            run.start({}, ())
            run.work()
            run.submit()
            assert run.close() == 0
    assert {name: dict(each) for name, each in tally.effects.items()} == {
        f"run1-{number}": {"write": 1, "delete": 1, "bump": 1, "answer": 1} for number in range(6)
    }
    content = open_journal(tmp_path / "run.jsonl")
    assert content.summary.mean_score == 1.0
    assert verify(content, list(content.trials)).steps == 24
