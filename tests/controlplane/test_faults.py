"""Runs over the wire under injected faults lose nothing that the platform kept, and do nothing twice.

Scaled down by default; `pytest tests/controlplane/test_faults.py --heavy` runs 100 trials, 10 at a time, for each row.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bitgn.server import ServerOptions
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from tests.support.command import inside, started, wait_until
from tests.support.effect_counter import RUN, Tally
from tests.support.server_faults import Faults, FaultyServer, Outage, faulty_server

pytestmark = [pytest.mark.usefixtures("short_backoff", "shared_fork_servers"), pytest.mark.second_tier]


@contextmanager
def served(trials: int, faults: Faults, **settings: Any) -> Iterator[tuple[Tally, FaultyServer]]:
    tally = Tally(trials, **settings)
    with faulty_server(tally, ServerOptions(), faults) as server:
        yield tally, server


RARE: dict[str, Faults] = {
    "none": Faults(),
    "1 % answer 503": Faults(seed=1, unavailable=0.01),
    "5 % answer 503": Faults(seed=2, unavailable=0.05),
}
"""Rows that show nothing in a few trials that the others do not show."""
OFTEN: dict[str, Faults] = {
    "20 % answer 503": Faults(seed=3, unavailable=0.2),
    "2 % reset before, 2 % after the effect": Faults(seed=4, reset_before=0.02, reset_after=0.02),
    "2 % of bodies stop in the middle": Faults(seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})),
    "429 on a tenth of the calls": Faults(seed=6, too_many=0.1, retry_after_s=0.1),
}


@pytest.mark.parametrize("row", [*OFTEN, *(pytest.param(each, marks=pytest.mark.heavy) for each in RARE)])
def test_everything_is_delivered_once_under(row: str, tmp_path: Path, heavy: bool) -> None:
    with served(100 if heavy else 5, (OFTEN | RARE)[row]) as (tally, server):
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        deadlines = ("--set", "call_timeout_s=1", "--set", "lifecycle_timeout_s=1")
        result = inside(*RUN, *deadlines, "--concurrency", "10", cwd=tmp_path, **keys)
        assert result.code == 0, result.err
        tally.check_delivered()
        assert server.faults.too_early == 0, "a call came earlier than Retry-After allowed"
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_trials_that_cannot_start_cost_themselves_alone_and_are_named(tmp_path: Path, heavy: bool) -> None:
    failing = frozenset({3, 17, 40, 41, 99} if heavy else {1, 4})
    with served(100 if heavy else 8, Faults(), failing_starts=failing) as (tally, server):
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        result = inside(*RUN, "--json", "--set", "lifecycle_patience_s=2", cwd=tmp_path, **keys)
        assert result.code == 1, result.err
        failed = {trial["trial_id"] for trial in result.json["trials"] if trial["state"] == "failed"}
        assert len(failed) == len(failing)
        tally.check_delivered(missing=len(failing))


@pytest.mark.parametrize("method", ["EndTrial", "SubmitRun"])
def test_an_outage_of_the_last_calls_is_waited_out(method: str, tmp_path: Path, heavy: bool) -> None:
    outage = Outage(method, 60.0 if heavy else 1.0)
    with served(20 if heavy else 4, Faults(outages=(outage,))) as (tally, server):
        result = inside(*RUN, cwd=tmp_path, BITGN_HOST=server.url, BITGN_API_KEY="k")
        assert result.code == 0, result.err
        tally.check_delivered()


@pytest.mark.parametrize("seed", [11, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in (12, 13, 14))])
def test_kill_9_at_random_moments_then_resume_loses_nothing_and_doubles_nothing(
    seed: int, tmp_path: Path, heavy: bool
) -> None:
    chance = random.Random(seed)
    for round_number in range(25 if heavy else 1):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        with served(30 if heavy else 5, Faults()) as (tally, server):
            keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
            process = started(*RUN, "--concurrency", "4", cwd=folder, **keys)
            wait_until(lambda found=folder: any(found.glob("runs/*.jsonl")))
            time.sleep(chance.uniform(0.1, 1.2))
            process.kill()
            process.communicate()
            journal = next(folder.glob("runs/*.jsonl"))
            started_at_all = bool(read_journal_or_none(journal))
            if started_at_all:
                check_readable(journal)
            result = inside("resume", "last", cwd=folder, **keys)
            if not started_at_all:
                assert result.code == 2, result.err
                continue
            assert result.code == 0, result.err + result.out
            tally.check_delivered()
            assert inside("replay", "last", "--verify", cwd=folder).code == 0


def check_readable(path: Path) -> None:
    """Assert that a killed run's journal lacks at most the end of one line, and that all of it replays."""
    with open_journal(path) as journal:
        assert b"\n" not in path.read_bytes()[journal.length :]
        begun = [trial.trial_id for trial in journal.trials.values() if trial.has_begun]
        assert verify(journal, begun).differences == ()


def read_journal_or_none(path: Path) -> str:
    """Return the run's id at its benchmark, if the journal holds it already."""
    return open_journal(path).summary.run_id if path.stat().st_size else ""


MISBEHAVING = {
    "hang": "while True:\n    pass",
    "exit": "raise SystemExit(1)",
    "flood": "for number in range(10**6):\n    print('x' * 1000)",
    "swallow memory": "kept = []\nwhile True:\n    kept.append('x' * 10**6 + str(len(kept)))",
    "never answer": "print(1)",
}


@pytest.mark.parametrize("kind", MISBEHAVING)
def test_every_trial_is_answered_whatever_its_scripts_do(kind: str, tmp_path: Path, heavy: bool) -> None:
    script = tmp_path / "bad.toml"
    script.write_text("".join(f"[[reply]]\ncode = '''\n{MISBEHAVING[kind]}\n'''\n" for _ in range(3)))
    flags = ("run", "--benchmark", "bitgn:tally", "--model", f"scripted:{script}", "--rule-sets", "none", "--json")
    limits = ("--max-steps", "1", "--trial-time", "1", "--concurrency", "10")
    with served(100 if heavy else 4, Faults()) as (tally, server):
        keys = {"BITGN_HOST": server.url, "BITGN_API_KEY": "k"}
        result = inside(*flags, *limits, cwd=tmp_path, **keys)
        assert result.code == 0, result.err
        assert {trial["state"] for trial in result.json["trials"]} == {"fallback"}
        assert {effect["answer"] for effect in tally.effects.values()} == {1}
        assert len(tally.scores) == tally.trials
        assert tally.submits == 1
