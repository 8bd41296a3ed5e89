"""What a question to a large folder costs beside the model:
`python -m tests.bench.large_folder [FILES]` (20,000).

The model is scripted: its one script searches all files, and cites the one that fits.
The rival walks the same folder and reads each file once. Both are told in seconds of
wall time and CPU, the best of three; a quiet machine is needed for the wall time.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.support.command import ROOT, clean_environment

SCRIPT = """
found = harness.search("Quibblethorpe", files="*.txt")
print(found.searched, harness.read(found.matches[0].path).content)
scratchpad["answer"], scratchpad["outcome"] = "At the neighbour Quibblethorpe.", "OUTCOME_OK"
scratchpad.cite(found.matches[0].path, "the courier's note", "the neighbour Quibblethorpe")
harness.answer(scratchpad, lambda sp: "Quibblethorpe" in sp["answer"])
"""
WALK = """
import os, sys
for at, _, names in os.walk(sys.argv[1]):
    for name in names:
        open(f'{at}/{name}', 'rb').read()
"""
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
    """Write tickets of a few lines, one of which holds what is asked for."""
    random = Random(7)
    for number in range(files):
        place = root / f"{number // 500:03d}" / f"T-{number:05d}.txt"
        place.parent.mkdir(exist_ok=True)
        lines = (
            " ".join(random.choices(WORDS, k=12)) for _ in range(random.randint(3, 30))
        )
        note = "The courier left it at the neighbour Quibblethorpe.\n" * (
            number == files * 3 // 4
        )
        place.write_text(f"Ticket: T-{number:05d}\n" + "\n".join(lines) + f"\n{note}")


def cost_of(words: list[str], place: str) -> tuple[float, float]:
    """Return the wall time and the CPU of a program and its children, in seconds.

    Raises if it fails.
    """
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        words,
        cwd=place,
        env={**clean_environment(), "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    wall, after = (
        time.monotonic() - started,
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(run: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    """Return the least wall time and the least CPU of three runs."""
    walls, cpus = zip(*(run() for _ in range(3)), strict=True)
    return min(walls), min(cpus)


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory() as place:
        folder, replies = Path(place, "tickets"), Path(place, "replies.toml")
        folder.mkdir()
        make_folder(folder, files)
        replies.write_text(
            f"[[reply]]\nstate = 'x'\ndone = true\ncode = '''{SCRIPT}'''\n"
        )
        question = "Where did the courier leave the parcel?"
        asked = [
            sys.executable,
            "-m",
            "controlplane",
            "ask",
            question,
            str(folder),
            "--model",
            f"scripted:{replies}",
        ]
        wall, cpu = best(lambda: cost_of([*asked, "--quiet"], place))
        rival_wall, rival_cpu = best(
            lambda: cost_of([sys.executable, "-c", WALK, str(folder)], place)
        )
    print(f"{files:,} files on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(
        f"ask: {wall:.2f} s, CPU {cpu:.2f} s; a walk that reads each file: {rival_wall:.2f} s, CPU {rival_cpu:.2f} s"
    )
    print(f"ratio: {wall / rival_wall:.1f} of wall time, {cpu / rival_cpu:.1f} of CPU")


if __name__ == "__main__":
    main()
