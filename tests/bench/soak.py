"""Runs the control plane for minutes on end, over the wire and with faults, and prints whether anything grows:

    python tests/bench/soak.py [--minutes 10]

Memory (PSS of all processes), open files and threads of the control plane, sampled every few seconds: the median of the
second tenth of the time beside that of the last.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.scale import replies
from tests.bench.trial_cost import model_server, tree_pss_mb

ROOT = Path(__file__).parent.parent.parent
TRIALS_A_SECOND = 12
FAULTS = ("unavailable=0.01", "reset_before=0.005", "reset_after=0.005")


def sample(pid: int) -> tuple[float, int, int]:
    """Return memory in MiB, open files and threads of the process."""
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    return tree_pss_mb(pid), files, threads


def soak(minutes: float, port: int) -> None:
    """Run, sample, and print the two tenths side by side."""
    trials = int(minutes * 60 * TRIALS_A_SECOND)
    serve = [sys.executable, "-m", "tests.support.server_faults", "tests.support.effect_counter"]
    platform = subprocess.Popen([*serve, f"trials={trials}", *FAULTS], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert platform.stdout
    keys = {"BITGN_HOST": platform.stdout.readline().split()[-1], "BITGN_API_KEY": "k", "OPENAI_API_KEY": "none"}
    keys["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        flags = "--benchmark bitgn:tally --model canned --rules none --concurrency 10 --json"
        printed = Path(folder) / "result.json"  # not a pipe: nobody reads it while the run goes on
        run = subprocess.Popen(
            [sys.executable, "-m", "controlplane", "run", *flags.split(), "--runs-dir", folder],
            cwd=ROOT,
            env={**os.environ, **keys},
            stdout=printed.open("w"),
        )
        started = time.monotonic()
        while run.poll() is None:
            try:
                samples.append(sample(run.pid))
            except OSError:
                break
            time.sleep(min(5.0, minutes * 0.6))
        result = json.loads(printed.read_text())
        run.wait()
    platform.terminate()
    platform.wait()
    answered = sum(each["state"] == "answered" for each in result["trials"])
    wall = time.monotonic() - started
    print(f"{answered} of {trials} trials answered in {wall / 60:.1f} minutes, score {result['score']:.3f}")
    tenth = max(len(samples) // 10, 1)
    for name, column in zip(("memory, MiB", "open files", "threads"), range(3), strict=True):
        early = statistics.median(each[column] for each in samples[tenth : 2 * tenth])
        late = statistics.median(each[column] for each in samples[-tenth:])
        print(f"{name:<12} second tenth {early:8.1f}, last tenth {late:8.1f}, ratio {late / early:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    with model_server(replies(), 0.15) as port:
        soak(options.minutes, port)
