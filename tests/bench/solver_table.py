"""Compares both solvers and what lies between them by `controlplane sweep docs/examples/solvers.toml`, in FOLDER.

    python -m tests.bench.solver_table FOLDER [--repeats 3] [--seconds 60] [--faults]

The main model only completes with what the toolkit finds (`tests.bench.finding_models`), one task of every family, in
several worlds. The sweep is interrupted every so many seconds and called again, until it ends: with exit code 1, since
such a model does not mend what the gates send back, and those trials end by their fallback answer. With `--faults` it
makes one fault of `tests.support.honest_faults` in every trial in which it makes native calls.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path

from benchmarks.ecom.tasks.posing import task_ids
from tests.bench.finding_models import FindingEndpoint, known_trials
from tests.support.command import ROOT, environment
from tests.support.endpoints import model_server

INTERRUPTED = 130
SOME_FELL_BACK = 1
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


def main(options: argparse.Namespace) -> int:
    """Return 0 if the sweep ended, with trials that ended by their fallback answer or without."""
    tasks = one_of_each_family()
    place = Path(options.folder)
    place.mkdir(parents=True, exist_ok=True)
    described = (ROOT / "docs" / "examples" / "solvers.toml").read_text()
    described = described.replace("repeats = 3", f"repeats = {options.repeats}")
    described = described.replace("[base]", f"tasks = {tasks!r}\n\n[base]", 1)
    (place / "solvers.toml").write_text(described)
    known = known_trials(tasks, options.repeats, 0, "mixed")
    with model_server(FindingEndpoint(known, with_faults=options.faults)) as server:
        (place / "controlplane.toml").write_text(PROFILE.format(url=server.url))
        while (code := sweep(place, seconds=options.seconds)) == INTERRUPTED:
            print("interrupted, called again", flush=True)
    print("ended with exit code", code)
    return 0 if code in (0, SOME_FELL_BACK) else code


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--faults", action="store_true")
    sys.exit(main(parser.parse_args()))
