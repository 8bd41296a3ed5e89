"""Measures what a question to a large folder of files costs, without the time of a model.

    python -m tests.bench.large_folder [FILES]      (20,000 files unless told otherwise)

`controlplane ask QUESTION FOLDER` answers from the files of a folder. The model is scripted: its
one script searches all files and cites the one with the answer. Beside it a plain program walks
the folder and reads each file once. For both, this prints the best wall and CPU time of three runs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.command import ROOT, clean_environment

DEFAULT_FILES = 20_000
FILES_PER_FOLDER = 500
ROUNDS = 3

QUESTION = "Where did the courier leave the parcel?"
NOTE = "The courier left it at the neighbour Quibblethorpe.\n"
"""The line that answers the question. One file has it."""

SCRIPT = """
found = harness.search("Quibblethorpe", files="*.txt")
print(found.searched, harness.read(found.matches[0].path).content)
scratchpad["answer"], scratchpad["outcome"] = "At the neighbour Quibblethorpe.", "OUTCOME_OK"
scratchpad.cite(found.matches[0].path, "the courier's note", "the neighbour Quibblethorpe")
harness.answer(scratchpad, lambda sp: "Quibblethorpe" in sp["answer"])
"""
"""The script of the scripted model."""

READ_ALL_FILES = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        open(f"{folder}/{name}", "rb").read()
"""
"""The plain program."""

WORDS = (
    "login",
    "printer",
    "refund",
    "parcel",
    "size",
    "error",
    "update",
    "floor",
    "delivered",
    "customer",
    "urgent",
)


class Cost(NamedTuple):
    """Seconds that a program took, its children included."""

    wall_s: float
    cpu_s: float


def make_folder(root: Path, files: int) -> None:
    """Write support tickets of random words, such as `000/T-00012.txt`; one has the note."""
    random = Random(7)
    ticket_with_note = files * 3 // 4
    for number in range(files):
        folder = root / f"{number // FILES_PER_FOLDER:03d}"
        folder.mkdir(exist_ok=True)
        lines = [f"Ticket: T-{number:05d}"]
        for _ in range(random.randint(3, 30)):
            lines.append(" ".join(random.choices(WORDS, k=12)))
        text = "\n".join(lines) + "\n"
        if number == ticket_with_note:
            text += NOTE
        (folder / f"T-{number:05d}.txt").write_text(text)


def cost_of(words: Sequence[str], working_folder: str) -> Cost:
    """Run a program to its end. Raises if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started_s = time.monotonic()
    subprocess.run(
        words,
        cwd=working_folder,
        env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    wall_s = time.monotonic() - started_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user_s = after.ru_utime - before.ru_utime
    system_s = after.ru_stime - before.ru_stime
    return Cost(wall_s=wall_s, cpu_s=user_s + system_s)


def best_cost_of(words: Sequence[str], working_folder: str) -> Cost:
    """Return the least wall time and the least CPU of several runs of a program."""
    costs = [cost_of(words, working_folder) for _ in range(ROUNDS)]
    return Cost(
        wall_s=min(cost.wall_s for cost in costs),
        cpu_s=min(cost.cpu_s for cost in costs),
    )


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FILES
    with tempfile.TemporaryDirectory() as working_folder:
        folder = Path(working_folder, "tickets")
        folder.mkdir()
        make_folder(folder, files)
        replies = Path(working_folder, "replies.toml")
        replies.write_text(
            f"[[reply]]\nstate = 'x'\ndone = true\ncode = '''{SCRIPT}'''\n"
        )

        ask_command = [
            sys.executable,
            "-m",
            "controlplane",
            "ask",
            QUESTION,
            str(folder),
        ]
        ask_command += ["--model", f"scripted:{replies}", "--quiet"]
        ask_cost = best_cost_of(ask_command, working_folder)
        walk_command = [sys.executable, "-c", READ_ALL_FILES, str(folder)]
        walk_cost = best_cost_of(walk_command, working_folder)

    print(f"{files:,} files on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(
        f"ask: {ask_cost.wall_s:.2f} s, CPU {ask_cost.cpu_s:.2f} s; "
        f"a walk that reads each file: {walk_cost.wall_s:.2f} s, CPU {walk_cost.cpu_s:.2f} s"
    )
    wall_ratio = ask_cost.wall_s / walk_cost.wall_s
    cpu_ratio = ask_cost.cpu_s / walk_cost.cpu_s
    print(f"ratio: {wall_ratio:.1f} of wall time, {cpu_ratio:.1f} of CPU")


if __name__ == "__main__":
    main()
