"""Kills runs with SIGKILL at random moments, half of them inside a write of the journal, and looks at what is left:

    python tests/bench/kill_storm.py [--rounds 200] [--seed 1]

The player by rules, the cited loop and the second solver take turns, the last two with scripted replies. After each
kill the journal has to read but for the beginning of one line, replay as it was recorded, be gone on with by `resume`
without a change of what stood there, and replay again.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane import open_journal
from controlplane.errors import NotAJournal
from controlplane.journal.journal_content import Journal
from controlplane.journal.run_events import TrialEnded
from controlplane.replay.verification import verify

ROOT = Path(__file__).parents[2]
CALLS = """
[[reply]]
text = '''{"calls": [{"name": "tree", "arguments": {"root": "/", "level": 1}},
                     {"name": "exec", "arguments": {"path": "/bin/date"}},
                     {"name": "write", "arguments": {"path": "/tmp/note.txt", "content": "one"}}]}'''
[[reply]]
text = '''{"calls": [{"name": "report_completion", "arguments": {"notes": "", "task_type": "other",
  "outcome": "OUTCOME_NONE_UNSUPPORTED", "message": "There is no such system.", "protected": false, "records": [],
  "documents": [{"path": "/AGENTS.MD", "reason": "the rules of the workspace"}]}}]}'''
"""
KINDS = {
    "player": ("--limit", "2"),
    "cited": ("calendar-date.1", "--repeats", "2", "--model", f"scripted:{ROOT / 'tests/support/long_trial.toml'}"),
    "exoskeleton": ("--limit", "2", "--agent", "exoskeleton", "--model", "scripted:calls.toml", "--max-steps", "4"),
}
KILLED_INSIDE = """
import os, signal, stat, sys
writes, share, write = int(sys.argv.pop(1)), float(sys.argv.pop(1)), os.write
def write_and_die(file, data):
    global writes
    writes -= stat.S_ISREG(os.fstat(file).st_mode)
    if writes:
        return write(file, data)
    write(file, data[: int(len(data) * share)])
    os.kill(os.getpid(), signal.SIGKILL)
os.write = write_and_die
from controlplane.__main__ import main
main()
"""
"""Runs a command and dies in the n-th write to a file, with a share of it written."""


def started(words: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    """Start a command of the control plane, or a program with it, in the folder."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=(folder / "errors.txt").open("w"),
    )


def kill_somewhere(kind: str, folder: Path, chance: random.Random, *, inside: bool) -> bool:
    """Run until the kill; return whether it came before the run was over."""
    (folder / "calls.toml").write_text(CALLS, encoding="utf-8")
    words = ("run", "--quiet", "--concurrency", "4", *KINDS[kind])
    if inside:
        where = (str(chance.randint(1, 250)), str(chance.random()))
        return started(("-c", KILLED_INSIDE, *where, *words), folder).wait() == -signal.SIGKILL
    process = started(("-m", "controlplane", *words), folder)
    while process.poll() is None and not any(folder.glob("runs/*.jsonl")):
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 1.5))
    process.kill()
    return process.wait() == -signal.SIGKILL


def check_replay(journal: Journal) -> None:
    """Raise `ReplayDiverged` if a step does not replay as it was recorded."""
    verify(journal, [each.trial_id for each in journal.trials.values() if each.has_begun])


def look_at(folder: Path) -> str:
    """Check what a kill left; return what it was: `nothing`, `not begun`, `whole` or `torn`."""
    path = next(folder.glob("runs/*.jsonl"), None)
    if path is None:
        return "nothing"
    left = path.read_bytes()
    try:
        with open_journal(path) as journal:
            whole = left[: journal.index.chain.length]
            assert b"\n" not in left[len(whole) :], "more than the event that was being written is lost"
            check_replay(journal)
            has_begun = bool(journal.summary.run_id)
    except NotAJournal:
        assert left.count(b"\n") == 0 or not any(b'"run_opened"' in line for line in left.splitlines()[:-1])
        whole, has_begun = b"", False
    resumed = started(("-m", "controlplane", "resume", str(path), "--quiet"), folder)
    code, told = resumed.wait(), (folder / "errors.txt").read_text(encoding="utf-8")
    if not has_begun:
        assert code == 2, told
        return "not begun"
    assert code in (0, 1), told
    assert path.read_bytes().startswith(whole), "what was recorded has changed"
    with open_journal(path) as journal:
        assert journal.summary.left == 0
        assert journal.summary.submitted
        events = [event for trial in journal.trials.values() for event in trial.events()]
        ends = Counter(each.trial_id for each in events if isinstance(each, TrialEnded))
        assert set(ends.values()) == {1}
        check_replay(journal)
    return "torn" if len(left) > len(whole) else "whole"


def main() -> None:
    """Kill, look, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, found = random.Random(options.seed), Counter[tuple[str, str, str]]()
    for number in range(options.rounds):
        kind, inside = list(KINDS)[number % len(KINDS)], number % 2 == 1
        with tempfile.TemporaryDirectory() as name:
            killed = kill_somewhere(kind, Path(name), chance, inside=inside)
            moment = ("inside a write" if inside else "at a moment") if killed else "not killed"
            found[kind, moment, look_at(Path(name)) if killed else "over"] += 1
        print(f"{number + 1} of {options.rounds}", end="\r", flush=True)
    for (kind, moment, left), count in sorted(found.items()):
        print(f"{kind:12} {moment:15} {left:10} {count}")
    print(f"{options.rounds} rounds: every journal that was left read, replayed, was resumed and replayed again")


if __name__ == "__main__":
    main()
