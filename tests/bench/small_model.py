"""Plays tasks with a small real model on this machine, and prints how each went.

    python tests/bench/small_model.py MODEL.gguf --benchmark folder:docs/examples/library [TASK ...]

A line for each task says how many replies were usable, how many scripts ran to their end, the
score, and the first fault. `tests/bench/small_tasks` has easy tasks: those in `practice` are for
improving prompts, those in `held_out` for measuring. It needs the package `xllamacpp`, and a model:
`tests/bench/models/served_model.py` says where to get one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.models.played_tasks import print_table, read_journal
from tests.bench.models.served_model import (
    BASE_URL,
    SERVER_PROGRAM,
    missing_requirement,
    wait_for_server,
)


def main() -> None:
    """Serve the model, play, and print a line for each task and one for all."""
    options = parsed_options()
    error = missing_requirement(options.model)
    if error:
        sys.exit(error)
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER_PROGRAM, str(options.model)]
    )
    try:
        wait_for_server(server)
        journal = play(options)
    finally:
        server.terminate()
        server.wait()
    print_table(read_journal(journal))
    print(
        f"{time.strftime('%Y-%m-%d')}, {options.model.name}, seed {options.seed}, {journal}"
    )


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--benchmark", default="folder:docs/examples/library")
    parser.add_argument("--reply-mode", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-steps", type=int, default=8)
    parser.add_argument("--runs-dir", type=Path, default=Path("runs"))
    return parser.parse_args()


def play(options: argparse.Namespace) -> Path:
    """Play the tasks one after another, and return the journal of the run."""
    options.runs_dir.mkdir(parents=True, exist_ok=True)
    earlier_journals = set(options.runs_dir.glob("*.jsonl"))
    command = [sys.executable, "-m", "controlplane", "run", *options.tasks]
    command += ["--benchmark", options.benchmark]
    command += ["--model", "m", "--base-url", BASE_URL]
    command += ["--seed", str(options.seed), "--concurrency", "1"]
    command += ["--reply-mode", options.reply_mode]
    command += ["--max-steps", str(options.max_steps)]
    command += ["--runs-dir", str(options.runs_dir)]
    # On a small machine, the model writes only a few tokens a second: these limits, in seconds,
    # let it end its replies.
    command += ["--trial-time", "3000", "--model-timeout", "1500", "--step-time", "300"]
    subprocess.run(command, env={"OPENAI_API_KEY": "none", **os.environ}, check=False)
    new_journals = set(options.runs_dir.glob("*.jsonl")) - earlier_journals
    if not new_journals:
        sys.exit("the run did not begin; its message is above")
    return new_journals.pop()


if __name__ == "__main__":
    main()
