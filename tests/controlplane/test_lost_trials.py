"""If the platform loses a trial and refuses all its calls with transient errors, the other trials end and the run can
be submitted."""

import asyncio
import re
import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import pytest

from benchmarks.bitgn.server import ServerOptions, served_runs
from controlplane.journal.journal_reader import open_journal
from controlplane.lifecycle import trial_lifecycle
from tests.support.command import Result, Type, inside, started
from tests.support.effect_counter import RUN, Tally
from tests.support.running_server import running_server
from tests.support.wire_relay import Act, Passing, refused, relayed

pytestmark = pytest.mark.usefixtures("short_backoff")

TRIALS = 5
LOST = "run1-2"
FLAGS = (
    *RUN,
    *("--set", "lifecycle_patience_s=0.5", "--set", "call_patience_s=0.5", "--set", "contact_patience_s=0.5"),
    *("--concurrency", "2"),
)
CODES = {"deadline_exceeded": 504, "internal": 500}


def losing(code: str, first: str) -> Act:
    """Refuse the calls of one trial, starting with its first call of the method `first`."""
    lost = False

    async def act(call: Passing, writer: asyncio.StreamWriter) -> None:
        nonlocal lost
        is_its = f"/{LOST}/".encode() in call.request or f'"{LOST}"'.encode() in call.request
        lost = lost or (is_its and call.method == first)
        writer.write(refused(CODES[code], code, "the trial is gone") if is_its and lost else await call.forward())

    return act


@contextmanager
def platform(
    act: Act, monkeypatch: pytest.MonkeyPatch, options: ServerOptions | None = None
) -> Iterator[tuple[Tally, dict[str, str]]]:
    monkeypatch.setattr(trial_lifecycle, "END_RETRY_S", 0.3)
    own_ids = chain(["tally-1"], (f"run1-{number}" for number in range(TRIALS)))  # in place of random ones
    monkeypatch.setattr(served_runs, "secrets", SimpleNamespace(token_urlsafe=lambda _: next(own_ids)))
    tally = Tally(TRIALS)
    with running_server(tally, options or ServerOptions()) as server, relayed(server.url, lambda *_: act) as relay:
        yield tally, {"BITGN_HOST": relay.url, "BITGN_API_KEY": "k"}


def suggested_command(result: Result, verb: str) -> list[str]:
    """Return the suggested command with this verb from the line on standard error."""
    (line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", line)
    return shlex.split(words)


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("deadline_exceeded", "Write"),
        ("internal", "EndTrial"),
        pytest.param("internal", "Write", marks=pytest.mark.heavy),
        pytest.param("deadline_exceeded", "EndTrial", marks=pytest.mark.heavy),
    ],
)
def test_a_trial_that_is_lost_costs_itself_alone_and_the_suggested_command_submits_the_run(
    code: str, first: str, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    with platform(losing(code, first), monkeypatch) as (tally, keys):
        stopped = type_in(*FLAGS, **keys)
        again = type_in(*suggested_command(stopped, "resume"), "--quiet", **keys)
        for each in (stopped, again):
            assert each.code == 3, each.err
            assert suggested_command(each, "submit") == suggested_command(stopped, "submit")
        assert (len(tally.scores), tally.submits) == (TRIALS - 1, 0)
        delivered = type_in(*suggested_command(stopped, "submit"), "--json", **keys)
        assert (delivered.code, delivered.json["submitted"], tally.submits) == (0, True, 1)
        scores = {trial["trial_id"]: trial["score"] for trial in delivered.json["trials"]}
        assert scores == {f"run1-{number}": float(f"run1-{number}" != LOST) for number in range(TRIALS)}
        for verb, says in (("resume", "nothing to resume"), ("submit", "already submitted")):
            done = type_in(verb, "last", **keys)
            assert (done.code, says in done.out, tally.submits) == (0, True, 1)


def test_scores_that_come_later_come_although_the_lost_trial_cannot_be_asked_about(
    type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
    with platform(losing("internal", "EndTrial"), monkeypatch, sealed_for_a_while) as (_, keys):
        assert type_in(*FLAGS, **keys).code == 3
        delivered = type_in("submit", "last", "--force", "--json", **keys)
    assert delivered.code == 0, delivered.err
    assert sorted(trial["score"] for trial in delivered.json["trials"]) == [0.0, *[1.0] * (TRIALS - 1)]
    assert f"the details of trial {LOST} are missing" in type_in("show", "last").out


def test_sealed_scores_are_no_failure_and_are_fetched_later_into_the_journal(tmp_path: Path) -> None:
    with running_server(Tally(3), ServerOptions(policy="blind", reveal_after_s=1.5)) as server:
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        result = inside(*RUN, "--poll-time", "0", "--json", cwd=tmp_path, **keys)
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
        process = started(*RUN, "--concurrency", "1", cwd=tmp_path, **keys)
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
        flags = [flag if flag != "bitgn:tally" else "bitgn" for flag in RUN]
        process = started(*flags, "--concurrency", "1", cwd=tmp_path, **keys)
        while not tally.scores:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        elsewhere = {"BITGN_HOST": "http://127.0.0.1:9", "BITGN_API_KEY": "k"}
        assert inside("resume", "last", cwd=tmp_path, **elsewhere).code == 0
        assert tally.submits == 1
