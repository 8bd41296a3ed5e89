"""Verifies a large journal and prints its memory and CPU beside those of the live run. Run it by hand:

    python tests/bench/large_journal.py [--mb 1000]

One trial whose scripts read a lot is played live; copies of it under other ids make up the journal, each with its texts
in place, so that nothing is stored once. A copy names the trial as its origin, so that its scripts keep their chance.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane import open_journal
from controlplane.journal.journal_content import Journal
from controlplane.journal.journal_lines import GENESIS, encoded, fields_to_write, line_of
from controlplane.journal.run_events import AllottedTrial, JournalEvent, RunOpened, RunStarted, TrialStarted
from tests.bench.trial_cost import tree_pss_mb

ROOT = Path(__file__).parents[2]
STEPS = 8
READ = """
harness.write("/tmp/large.txt", ("0123456789" * 12 + chr(10)) * 1000)
seen = sum(len(harness.read("/tmp/large.txt").content) for number in range(6))
for path in harness.find("*.md", root="/docs", kind="files", limit=100).paths:
    seen += len(harness.read(path).content)
harness.delete("/tmp/large.txt")
print(seen)
"""
ANSWER = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "read", "OUTCOME_OK", {}
def verify(sp):
    return sp["answer"] == "read"
harness.answer(scratchpad, verify)
"""


def play(folder: Path) -> tuple[Path, float]:
    """Play the trial; return its journal and the milliseconds that its scripts took."""
    codes = [READ] * STEPS + [ANSWER]
    script = "".join(f"[[reply]]\nstate = 'read'\ncode = '''{code}'''\n" for code in codes)
    (folder / "replies.toml").write_text(script, encoding="utf-8")
    words = (
        "run",
        "calendar-date.1",
        "--model",
        "scripted:replies.toml",
        "--gates",
        "none",
        "--rules",
        "none",
        "--json",
    )
    done = subprocess.run(
        [sys.executable, "-m", "controlplane", *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        check=True,
        capture_output=True,
    )
    path = folder / json.loads(done.stdout)["journal"]
    with open_journal(path) as journal:
        return path, sum(step.elapsed_ms for trial in journal.trials.values() for step in trial.steps)


def repeat(journal: Journal, path: Path, megabytes: float) -> int:
    """Write copies of the journal's trial to `path` until it has the size; return how many."""
    (trial,) = journal.trials.values()
    events, of_run = list(trial.events()), list(journal.events_of_run())
    one = sum(len(_line(each, GENESIS)[0]) for each in events) / 1e6
    ids = [f"{trial.trial_id}-{number}" for number in range(max(round(megabytes / one), 1))]
    previous = GENESIS
    with path.open("wb") as file:

        def write(event: JournalEvent) -> None:
            nonlocal previous
            line, previous = _line(event, previous)
            file.write(line)

        write(next(each for each in of_run if isinstance(each, RunOpened)))
        heads = tuple(AllottedTrial(trial_id=each, task_id=trial.task_id) for each in ids)
        write(RunStarted(run_id="large", trials=heads))
        for trial_id in ids:
            for event in events:
                origin = {"origin": trial.trial_id} if isinstance(event, TrialStarted) else {}
                write(event.model_copy(update={"trial_id": trial_id, **origin}))
    return len(ids)


def _line(event: JournalEvent, previous: str) -> tuple[bytes, str]:
    """Return the line of an event with its texts in place, and its hash."""
    return line_of(encoded(fields_to_write(event), lambda text: text), previous)


def verify(path: Path) -> tuple[float, float, float]:
    """Verify the journal; return the peak of its memory in MiB, CPU seconds with all children, and wall seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, peak = time.monotonic(), 0.0
    process = subprocess.Popen([sys.executable, "-m", "controlplane", "replay", str(path), "--verify"], cwd=ROOT)
    while process.poll() is None:
        peak = max(peak, tree_pss_mb(process.pid))
        time.sleep(0.5)
    assert process.returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return peak, cpu, time.monotonic() - began


def main() -> None:
    """Play, repeat, verify, at a tenth of the size and at all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=float, default=1000)
    parser.add_argument("--folder", type=Path, default=None, help="Where the journals are written for a while.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        source, script_ms = play(Path(name))
        print(f"one trial: {STEPS + 1} steps, its live scripts took {script_ms:.0f} ms")
        for megabytes in (options.mb / 10, options.mb):
            path = Path(name) / "large.jsonl"
            with open_journal(source) as journal:
                trials = repeat(journal, path, megabytes)
            peak, cpu, wall = verify(path)
            live = script_ms * trials / 1000
            print(
                f"{path.stat().st_size / 1e6:,.0f} MB, {trials} trials: memory at most {peak:.0f} MiB, "
                f"{cpu:.0f} s of CPU ({1000 * cpu / trials:.0f} ms a trial), {wall:.0f} s; live scripts {live:.0f} s"
            )


if __name__ == "__main__":
    main()
