"""Prints what commands that read journals take: CPU and wall seconds of whole processes, the least of several.

    python tests/bench/reading_speed.py [--folder FOLDER] [--times 5]

Runs of 100 trials of the player by rules, of 100 trials of 20 steps, and a folder of 1,000 journals. With --folder they
are kept there, and not played again; the five reports of 20 steps are opened in a browser.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from controlplane.view.runs_index import INDEX_FILE
from tests.support.browser import Browser

ROOT = Path(__file__).parents[2]
LOOK = """
for path in harness.find("*.md", root="/docs", kind="files", limit=5).paths:
    print(harness.read(path).content[:600])
scratchpad["seen"] = scratchpad.get("seen", 0) + 1
"""
ANSWER = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "read", "OUTCOME_OK", {}
def verify(sp):
    return sp["answer"] == "read"
harness.answer(scratchpad, verify)
"""
TWENTY = [f"twenty{number}" for number in range(1, 6)]
HUNDRED = ("--limit", "50", "--repeats", "2", "--quiet")
JOURNALS = 1_000


def typed(folder: Path, *words: str) -> tuple[float, float]:
    """Run a command; return the seconds of CPU and of wall-clock time that it took."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "controlplane", *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1), done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def play(folder: Path) -> None:
    """Play the runs, and make the folder of many journals."""
    folder.mkdir(parents=True, exist_ok=True)
    codes = [LOOK] * 19 + [ANSWER]
    replies = "".join(f"[[reply]]\nstate = 'look'\ncode = '''{code}'''\n" for code in codes)
    (folder / "twenty.toml").write_text(replies, encoding="utf-8")
    typed(folder, "run", *HUNDRED, "--name", "base")
    typed(folder, "run", *HUNDRED, "--name", "nogates", "--gates", "none")
    scripted = ("--gates", "none", "--rules", "none", "--model", "scripted:twenty.toml")
    for number, name in enumerate(TWENTY):
        typed(folder, "run", *HUNDRED, *scripted, "--seed", str(number), "--name", name)
    many = folder / "many" / "runs"
    typed(folder, "run", "--limit", "6", "--quiet", "--runs-dir", str(many))
    source = next(many.glob("*.jsonl"))
    for number in range(JOURNALS - 1):
        shutil.copy(source, many / f"20260101-{number:06}-ecom-{number:04x}.jsonl")


def measure(folder: Path, label: str, *words: str, times: int) -> None:
    """Print the least of several times."""
    taken = [typed(folder, *words) for _ in range(times)]
    print(f"{label:44} CPU {min(each[0] for each in taken):5.2f} s  wall {min(each[1] for each in taken):5.2f} s")


def open_in_browser(report: Path) -> None:
    """Print how long a report takes until it can be used."""
    with Browser() as browser:
        for _ in range(2):  # the browser's own start is no part of it
            browser.open(report)
        found = browser.value("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    print(f"{'five runs in Chromium, interactive after':44} {found:5.0f} ms, {report.stat().st_size / 1e6:.1f} MB")


def measure_all(folder: Path, times: int) -> None:
    """Measure every command."""
    several = max(times // 2, 1)
    measure(folder, "--help", "--help", times=times)
    measure(folder, "show, 100 trials", "show", "base", times=times)
    measure(folder, "show, 100 trials of 20 steps", "show", "twenty1", times=times)
    measure(folder, "compare two of 100 trials", "compare", "base", "nogates", times=times)
    measure(folder, "replay a trial through a pipe", "replay", "base", "--trial", "calendar-date.1-r0", times=times)
    measure(folder, "report, 100 trials of 20 steps", "report", "twenty1", "-o", "one.html", times=several)
    measure(folder, "report, five such runs", "report", *TWENTY, "-o", "five.html", times=1)
    many = folder / "many"
    (many / "runs" / INDEX_FILE).unlink(missing_ok=True)
    measure(many, "runs, 1,000 journals, without an index", "runs", "--all", times=1)
    measure(many, "runs --all, 1,000 journals", "runs", "--all", times=times)
    measure(many, "runs, 1,000 journals", "runs", times=times)
    open_in_browser(folder / "five.html")


def main() -> None:
    """Play what is missing, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        if not (folder / "many").exists():
            play(folder)
        measure_all(folder, options.times)


if __name__ == "__main__":
    main()
