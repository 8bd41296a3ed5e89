"""How many trials an hour, at what cost each, with many at a time. Run it by hand (about six minutes):

    python tests/bench/scale.py [--at-a-time 10 50 100 200] [--median-s 6]

Trials of four steps over the wire, against our own server, with model latencies as real ones: lognormal, with the
median given. CPU and memory are those of the control plane's processes alone, sandboxes included.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from agent.model.scripted_model import ScriptedReply
from tests.bench.trial_cost import model_server, tree_pss_mb

ROOT = Path(__file__).parent.parent.parent


def replies() -> list[str]:
    tables = tomllib.loads((ROOT / "tests/support/effect_counter.toml").read_text())["reply"]
    return [ScriptedReply.model_validate(table).spoken() for table in tables]


def level(at_a_time: int, port: int) -> None:
    """Run three trials for each that runs at a time, and print the figures."""
    trials = at_a_time * 3
    serve = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "tests.support.effect_counter"]
    platform = subprocess.Popen(
        [*serve, "--set", f"trials={trials}"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert platform.stdout
    url = platform.stdout.readline().split()[-1]
    keys = {"BITGN_HOST": url, "BITGN_API_KEY": "k", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        flags = f"run --benchmark bitgn:tally --model canned --rules none --concurrency {at_a_time} --json"
        settings = ["--set", f"connections={at_a_time + 8}", "--runs-dir", folder]
        printed = Path(folder) / "result.json"  # not a pipe: nobody reads it while the run goes on
        run = subprocess.Popen(
            [sys.executable, "-m", "controlplane", *flags.split(), *settings],
            cwd=ROOT,
            env={**os.environ, **keys, "OPENAI_API_KEY": "none"},
            stdout=printed.open("w"),
        )
        highest = 0.0
        while run.poll() is None:
            highest = max(highest, tree_pss_mb(run.pid))
            time.sleep(0.5)
        result = json.loads(printed.read_text())
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    platform.terminate()
    platform.wait()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answered = sum(trial["state"] == "answered" for trial in result["trials"])
    print(
        f"{at_a_time:>4} at a time: {answered} of {trials} answered, score {result['score']:.2f}, "
        f"{answered / wall * 3600:8.0f} trials an hour, {cpu / trials * 1000:6.1f} ms CPU a trial, "
        f"{cpu / wall * 100:5.1f} % of a core, PSS {highest:6.1f} MiB ({highest / at_a_time:5.2f} a running trial)",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-a-time", type=int, nargs="+", default=[10, 50, 100, 200])
    parser.add_argument("--median-s", type=float, default=6.0)
    options = parser.parse_args()
    with model_server(replies(), options.median_s) as port:
        for each in options.at_a_time:
            level(each, port)
