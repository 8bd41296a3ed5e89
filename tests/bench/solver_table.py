"""Compares both solvers and what lies between them by `controlplane sweep docs/examples/solvers.toml`, in FOLDER.

    python -m tests.bench.solver_table FOLDER [REPEATS] [SECONDS]

The main model only completes with what the toolkit finds (`tests.bench.finding_models`), one task of every family, in
REPEATS worlds. The sweep is interrupted every SECONDS and called again, until it ends.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from benchmarks.ecom.tasks.posing import task_ids
from tests.bench.finding_models import FindingEndpoint, known_trials
from tests.support.command import ROOT, environment
from tests.support.endpoints import model_server

INTERRUPTED = 130
PROFILE = """[run]
concurrency = 2

[profiles.big]
model = "finding"
base_url = "{url}"
"""


def one_of_each_family() -> list[str]:
    """Return the first task of every family."""
    found: dict[str, str] = {}
    for each in task_ids():
        found.setdefault(each.rpartition(".")[0], each)
    return list(found.values())


def sweep(folder: Path, *, seconds: float) -> int:
    """Run the sweep, interrupted after so many seconds; return its exit code."""
    command = [sys.executable, "-m", "controlplane", "sweep", "solvers.toml"]
    with subprocess.Popen(command, cwd=folder, env=environment(COLUMNS="160")) as running:
        try:
            return running.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGINT)
            return running.wait()


def main(folder: str, repeats: str = "3", seconds: str = "60") -> None:
    tasks = one_of_each_family()
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    described = (ROOT / "docs" / "examples" / "solvers.toml").read_text()
    described = described.replace("repeats = 3", f"repeats = {repeats}")
    described = described.replace("[base]", f"tasks = {tasks!r}\n\n[base]", 1)
    (place / "solvers.toml").write_text(described)
    with model_server(FindingEndpoint(known_trials(tasks, int(repeats), 0, "mixed"))) as server:
        (place / "controlplane.toml").write_text(PROFILE.format(url=server.url))
        while (code := sweep(place, seconds=float(seconds))) == INTERRUPTED:
            print("interrupted, called again", flush=True)
        print("ended with exit code", code)


if __name__ == "__main__":
    main(*sys.argv[1:])
