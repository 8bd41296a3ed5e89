"""A large folder of support tickets, of which one has the answer to a question.

`make_folder(root, files=20_000)` writes `000/T-00000.txt`, `000/T-00001.txt` and so on, with random
words. The answer is the line `NOTE` in one of them.
"""

import resource
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.command import clean_environment
from tests.support.product_files import ROOT

# The time that a program takes, its children included.
#
# `best_cost_of(["python", "-c", "1"], folder)` is, for example, `Cost(wall_s=0.021, cpu_s=0.019)`.

ROUNDS = 3


class Cost(NamedTuple):
    """Seconds that a program took, its children included."""

    wall_s: float
    cpu_s: float


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


FILES_PER_FOLDER = 500


NOTE = "The courier left it at the neighbour Quibblethorpe.\n"
"""The line that answers the question. One file has it."""


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
