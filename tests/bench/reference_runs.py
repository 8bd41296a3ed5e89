"""Plays the reference solutions as scripts through sandbox and gates, in so many worlds of every family.

    python -m tests.bench.reference_runs [WORLDS] [FAMILY...]

Prints a line per family: its trials, those that a gate sent back, and those below what can be reached; then these
themselves. Exit code 1 where there is one. A scripted model knows a trial by its request, so tasks that ask the same
are played in runs of their own.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.tasks.posing import family_names
from benchmarks.ecom.world.profiles import DEFAULT_PROFILE
from controlplane import open_journal
from tests.benchmarks.ecom.reference_scripts import scripted_replies, task_of
from tests.support.command import controlplane

WORLDS_A_SEED = 50


def with_different_requests(trial_ids: Iterable[str]) -> list[list[str]]:
    """Group trials so that no group has one request twice."""
    groups: list[dict[str, str]] = []
    for trial_id in trial_ids:
        request = task_of(trial_id).instruction
        free = next((each for each in groups if request not in each), None)
        if free is None:
            groups.append(free := {})
        free[request] = trial_id
    return [[*each.values()] for each in groups]


def faults_of(trial_ids: list[str], seed: int, folder: Path) -> list[str]:
    """Play the references of these trials in one run and tell what is wrong with them, a line per trial."""
    script = folder / "references.toml"
    script.write_text(scripted_replies(trial_ids), encoding="utf-8")
    tasks = [each.partition("-r0-s")[0] for each in trial_ids]
    runs = folder / f"{seed}-{trial_ids[0]}"
    ran = controlplane(
        "run", *tasks, "--model", f"scripted:{script}", "--seed", str(seed), "--runs-dir", runs, "--quiet", cwd=folder
    )
    journals = [*runs.glob("*.jsonl")]
    if not journals:
        sys.exit(ran.err)
    faults = []
    with open_journal(journals[0]) as run:
        for trial in run.trials.values():
            sent_back = [judged.message for step in trial.steps for judged in step.verdicts if not judged.accepted]
            reachable = task_of(trial.trial_id).truth.reachable
            if sent_back or trial.score is None or trial.score < reachable:
                faults.append(f"{trial.trial_id}: {trial.score} of {reachable}; {' | '.join(sent_back)}")
    return faults


def main(worlds: int, families: Iterable[str]) -> int:
    """Play and print, family by family."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in families:
            faults: list[str] = []
            for seed in range(-(-worlds // WORLDS_A_SEED)):
                numbers = range(1, min(WORLDS_A_SEED, worlds - seed * WORLDS_A_SEED) + 1)
                trials = [str(TrialId(f"{name}.{each}", 0, seed, DEFAULT_PROFILE, "0" * 8)) for each in numbers]
                for group in with_different_requests(trials):
                    faults += faults_of(group, seed, Path(scratch))
            print(f"{name:28} {worlds} worlds, {len(faults)} faults", flush=True)
            found += faults
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    wanted = sys.argv[1:]
    sys.exit(main(int(wanted[0]) if wanted else 200, wanted[1:] or family_names()))
