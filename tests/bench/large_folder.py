"""Measures what a question to a large folder of files costs, without the time of a model.

    python -m tests.bench.large_folder [FILES]      (20,000 files unless told otherwise)

`controlplane ask QUESTION FOLDER` answers from the files of a folder. The model is scripted: its
one script searches all files and cites the one with the answer. Beside it a plain program walks
the folder and reads each file once. For both, this prints the best wall and CPU time of three runs.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.program_costs import best_cost_of, make_folder

DEFAULT_FILES = 20_000

QUESTION = "Where did the courier leave the parcel?"

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
