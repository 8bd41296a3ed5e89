"""Verifies runs of mixed families by every solver, half of them killed and resumed on their way:

    python tests/bench/mixed_verification.py [--seeds 4] [--kinds player,cited,exoskeleton]

For each kind and seed it plays two runs of 100 trials, kills the second one with SIGKILL three times, resumes it until
it is over, and has `replay --verify` run every script again. One step that differs from the record ends it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane import open_journal
from tests.bench.kill_storm import CALLS, ROOT, started

PLAYED = ("--limit", "50", "--repeats", "2", "--quiet", "--concurrency", "4")
KINDS = {
    "player": (),
    "cited": ("--model", f"scripted:{ROOT / 'tests/support/long_trial.toml'}"),
    "exoskeleton": ("--agent", "exoskeleton", "--model", "scripted:calls.toml", "--max-steps", "4"),
}
KILLS = 3


def ended(words: tuple[str, ...], folder: Path) -> None:
    """Run a command to its end. Raises `AssertionError` if it fails."""
    process = started(("-m", "controlplane", *words), folder)
    code = process.wait()
    assert code in (0, 1), (words, code, (folder / "errors.txt").read_text(encoding="utf-8"))


def play(kind: str, seed: int, folder: Path, *, killed: bool) -> Path:
    """Play a run; return its journal."""
    words = ("run", *PLAYED, "--seed", str(seed), *KINDS[kind])
    chance = random.Random(seed)
    known = set(folder.glob("runs/*.jsonl"))
    kills = KILLS if killed else 0
    while True:
        process = started(("-m", "controlplane", *words), folder)
        if kills:
            kills -= 1
            try:
                code = process.wait(chance.uniform(4, 10))
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        else:
            code = process.wait()
        path = next(iter(set(folder.glob("runs/*.jsonl")) - known))
        if code in (0, 1):
            return path
        assert code < 0, (code, (folder / "errors.txt").read_text(encoding="utf-8"))
        words = ("resume", str(path), "--quiet")


def main() -> None:
    """Play, kill, resume, verify; print a line for each run and the sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    trials = steps = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "calls.toml").write_text(CALLS, encoding="utf-8")
        for seed in range(options.first, options.first + options.seeds):
            for kind in options.kinds.split(","):
                for killed in (False, True):
                    path, began = play(kind, seed, folder, killed=killed), time.monotonic()
                    ended(("replay", str(path), "--verify"), folder)
                    with open_journal(path) as journal:
                        count = [len(trial.steps) for trial in journal.trials.values()]
                        resumed = len(journal.versions) - 1
                    trials, steps = trials + len(count), steps + sum(count)
                    told = f"{len(count)} trials, {sum(count)} steps, resumed {resumed} times"
                    print(f"{kind:12} seed {seed} {told}: as recorded, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{trials} trials, {steps} steps: every one as recorded")


if __name__ == "__main__":
    main()
