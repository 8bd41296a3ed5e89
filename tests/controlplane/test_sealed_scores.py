"""Blind runs: exit 0 although scores are sealed, and `poll` and `submit` later."""

import signal
import time
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.bitgn.server import ServerOptions
from controlplane.journal.journal_content import open_journal
from tests.support.command import ROOT, inside, started
from tests.support.effect_counter import Tally
from tests.support.running_server import running_server

pytestmark = pytest.mark.usefixtures("short_backoff")

SCRIPT = ROOT / "tests/support/effect_counter.toml"
FLAGS = ("run", "--benchmark", "bitgn:tally", "--model", f"scripted:{SCRIPT}", "--rules", "none", "--quiet")


def test_sealed_scores_are_no_failure_and_are_fetched_later_into_the_journal(tmp_path: Path) -> None:
    with running_server(Tally(3), ServerOptions(policy="blind", reveal_after_s=1.5)) as server:
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        result = inside(*FLAGS, "--poll-time", "0", "--json", cwd=tmp_path, **keys)
        assert result.code == 0, result.err
        assert [trial["score"] for trial in result.json["trials"]] == [None] * 3
        assert result.json["score"] is None
        assert inside("poll", "last", cwd=tmp_path, **keys).code == 0
        time.sleep(1.6)
        later = inside("poll", "last", "--json", cwd=tmp_path, **keys)
        assert [trial["score"] for trial in later.json["trials"]] == [1.0] * 3
    (journal,) = tmp_path.glob("runs/*.jsonl")
    assert open_journal(journal).summary.mean_score == 1.0
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_a_run_with_open_trials_is_submitted_only_when_forced(tmp_path: Path) -> None:
    tally = Tally(6)
    with running_server(tally, ServerOptions()) as server:
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        process = started(*FLAGS, "--concurrency", "1", cwd=tmp_path, **keys)
        while not tally.scores:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        refused = inside("submit", "last", cwd=tmp_path, **keys)
        assert refused.code == 2
        assert "--force" in refused.err
        assert tally.submits == 0
        forced = inside("submit", "last", "--force", "--json", cwd=tmp_path, **keys)
        assert tally.submits == 1
        assert forced.json["submitted"]
        assert {trial["score"] for trial in forced.json["trials"]} <= {0.0, 1.0}
    ended = [trial["score"] for trial in forced.json["trials"] if trial["state"] == "answered"]
    assert 0 < len(ended) == forced.json["trials_scored"] < 6
    assert forced.json["mean_score"] == fmean(ended)
    assert f"over {len(ended)} of 6 trials · {6 - len(ended)} cut off" in inside("show", "last", cwd=tmp_path).out
    told = inside("compare", "last", "last", "--json", cwd=tmp_path).json
    assert (len(told["tasks"]), len(told["without_score"])) == (len(ended), 6 - len(ended))


def test_a_run_is_taken_up_where_it_was_started_whatever_the_environment_says_later(tmp_path: Path) -> None:
    tally = Tally(6)
    with running_server(tally, ServerOptions()) as server:
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k", "BENCH_ID": "tally"}
        flags = [flag if flag != "bitgn:tally" else "bitgn" for flag in FLAGS]
        process = started(*flags, "--concurrency", "1", cwd=tmp_path, **keys)
        while not tally.scores:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        elsewhere = {"BITGN_HOST": "http://127.0.0.1:9", "BITGN_API_KEY": "k"}
        assert inside("resume", "last", cwd=tmp_path, **elsewhere).code == 0
        assert tally.submits == 1
