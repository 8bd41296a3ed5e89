"""Measures the memory and time that commands take to read journals of 25, 50 and 100 MB.

    python tests/bench/journal_readers.py [--megabytes 25 50 100] [--trial-megabytes 4]

A *journal* is the file with all events of a run, a JSON object a line. The commands, such as
`show` and `export`, must need no more memory for a long journal than for three of its trials, and
no more CPU for a megabyte.
"""

# One trial is recorded, in which a script reads files and prints them. Its lines are repeated
# under other trial ids and with other texts until the journal has its size. Each command runs in
# a process of its own. Its memory for a journal of one small trial is mostly imported modules, so
# the bench prints how much more than that ("beyond") it takes for a long journal.

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

import controlplane  # noqa: E402 - after the path to it
from controlplane import Task, TaskEnvironment  # noqa: E402 - the same
from controlplane.journal.journal_lines import GENESIS, line_of  # noqa: E402 - the same
from controlplane.journal.text_references import key_of  # noqa: E402 - the same

MEGABYTE = 1_000_000
FILE_CHARS = 100_000
"""Characters of a file that a script reads and prints."""
JOURNAL_BYTES_OF_FILE = 2 * FILE_CHARS
"""A file is in the journal twice: as the result of a call, and as the output of the script."""
ALLOWED_TRIALS = 3
"""How many times its largest trial a command may take in memory."""

RUN_AND_REPORT = """
import json, re, resource, runpy, sys
report_file = sys.argv.pop(1)
sys.argv[0] = "controlplane"
try:
    runpy.run_module("controlplane", run_name="__main__", alter_sys=True)
finally:
    status = open("/proc/self/status").read()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "peak_kb": int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]),
        "cpu_s": usage.ru_utime + usage.ru_stime,
    }
    open(report_file, "w").write(json.dumps(figures))
"""
"""Runs `controlplane` with the words behind the first, and writes what its process took to a file.

`ru_maxrss` would count the memory that the process had before it became this program.
"""

COMMANDS = (
    "show {journal}",
    "show {journal} --json",
    "runs --runs-dir {folder}",
    "replay {journal}",
    "replay {journal} --trial {trial}",
    "judge {journal}",
    "compare {journal} {journal}",
    "report {journal} -o {folder}/report.html",
    "export {journal} --to {folder}/trials.csv",
    "export {journal} --to {folder}/calls.csv",
    "export {journal} --to {folder}/spans-otel.jsonl",
)
"""The commands that read a journal; {trial} is the id of its first trial."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one command took for one journal."""

    exit_code: int
    peak_mb: float
    cpu_s: float


ANSWERING_SCRIPT = """
scratchpad["answer"], scratchpad["outcome"] = "It was quiet.", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "It was quiet.")
"""


def record_trial(folder: Path, megabytes: float) -> Path:
    """Run one trial that takes about `megabytes` in the journal, and return the journal."""
    files = {}
    scripts = []
    number_of_files = int(megabytes * MEGABYTE / JOURNAL_BYTES_OF_FILE)
    for number in range(max(number_of_files, 1)):
        path = f"/notes/{number}.md"
        sentence = f"It was a quiet day in week {number}. "
        files[path] = f"Note {number}. " + sentence * (FILE_CHARS // 32)
        scripts.append(f"print(harness.read({path!r}).content[:{FILE_CHARS}])")
    scripts.append(ANSWERING_SCRIPT)
    task = Task(
        "quiet", "How was it?", environment=lambda: TaskEnvironment([], files=files)
    )

    run = controlplane.run(
        [task],
        model=f"scripted:{write_replies(folder, scripts)}",
        gates="none",
        runs_dir=str(folder / "recorded"),
    )
    return run.journal


def write_replies(folder: Path, scripts: list[str]) -> Path:
    """Write a file with the replies of a scripted model, one for each script."""
    replies = []
    for script in scripts:
        # A JSON text is also a TOML text.
        replies.append(
            f'[[reply]]\nstate = "s"\ndone = true\ncode = {json.dumps(script)}\n'
        )
    path = folder / "replies.toml"
    path.write_text("\n".join(replies), "utf-8")
    return path


def repeated_events(recorded: Path, trials: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a recorded run of one trial as those of a run of several."""
    events = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
    positions_of_trial = [
        position for position, event in enumerate(events) if "trial_id" in event
    ]
    first, last = positions_of_trial[0], positions_of_trial[-1]
    trial_id = events[first]["trial_id"]

    for event in events[:first]:
        if event["type"] == "run_started":
            (planned_trial,) = event["trials"]
            event["trials"] = [
                {**planned_trial, "trial_id": f"{trial_id}-{number}"}
                for number in range(trials)
            ]
        yield event
    for number in range(trials):
        yield from events_of_copy(
            events[first : last + 1], trial_id=f"{trial_id}-{number}", number=number
        )
    yield from events[last + 1 :]


def events_of_copy(
    events: list[dict[str, Any]], *, trial_id: str, number: int
) -> Iterator[dict[str, Any]]:
    """Yield the events of a trial under another id, with other texts than those of all copies.

    A long text is an event of its own, with a key by which later events refer to it, as in
    "@text:9f8e". Each copy has its own texts, because equal ones would be in memory only once.
    """
    new_keys: dict[str, str] = {}
    for event in events:
        if event["type"] == "text":
            text = f"({number}) {event['text']}"
            new_keys[event["key"]] = key_of(text)
            yield {**event, "text": text, "key": key_of(text)}
            continue
        line = json.dumps(event)
        for key, new_key in new_keys.items():
            line = line.replace(f"@text:{key}", f"@text:{new_key}")
        copy = json.loads(line)
        if "trial_id" in copy:
            copy["trial_id"] = trial_id
        yield copy


def write_journal(path: Path, recorded: Path, trials: int) -> None:
    """Write a journal with several copies of a recorded trial.

    Each line has the hash of the line before it, so these are computed anew.
    """
    path.parent.mkdir()
    previous_hash = GENESIS
    with path.open("wb") as file:
        for event in repeated_events(recorded, trials):
            for chain_field in ("prev", "hash", "mark"):
                event.pop(chain_field, None)
            body = json.dumps(event, separators=(",", ":")).encode()
            line, previous_hash = line_of(body, previous_hash)
            file.write(line)


def measure(command: str, journal: Path) -> Measurement:
    """Run one command for a journal in a process of its own."""
    trial_id = controlplane.open_run(journal).trials[0].trial_id
    places = {"journal": journal, "folder": journal.parent, "trial": trial_id}
    words = [word.format(**places) for word in command.split()]
    report_file = journal.parent / "measured.json"
    process = subprocess.run(
        [sys.executable, "-c", RUN_AND_REPORT, str(report_file), *words],
        cwd=journal.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if process.returncode:
        print(process.stderr[-300:])
    report = json.loads(report_file.read_text("utf-8"))
    return Measurement(
        exit_code=process.returncode,
        peak_mb=report["peak_kb"] / 1024,
        cpu_s=report["cpu_s"],
    )


def print_measurements(
    command: str, *, small_journal: Path, journals: list[Path], allowed_mb: float
) -> None:
    """Print what a command takes for each journal beyond what it takes for the small one."""
    small = measure(command, small_journal)
    print(f"{command}: {small.peak_mb:.0f} MB for one small trial")
    for journal in journals:
        measured = measure(command, journal)
        megabytes = journal.stat().st_size / MEGABYTE
        beyond_mb = measured.peak_mb - small.peak_mb
        cpu_ms = (measured.cpu_s - small.cpu_s) * 1000 / megabytes
        verdict = "" if beyond_mb <= allowed_mb else "  TOO MUCH"
        print(
            f"  {megabytes:4.0f} MB: {beyond_mb:4.0f} MB beyond, {cpu_ms:5.1f} ms a MB, "
            f"exit {measured.exit_code}{verdict}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[25, 50, 100])
    parser.add_argument("--trial-megabytes", type=float, default=4)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        small_journal = folder / "small" / "small.jsonl"
        write_journal(small_journal, record_trial(folder, megabytes=0), trials=1)
        recorded = record_trial(folder, options.trial_megabytes)
        trial_bytes = recorded.stat().st_size

        journals = []
        for megabytes in options.megabytes:
            journal = folder / f"{megabytes:g}" / "run.jsonl"
            trials = int(megabytes * MEGABYTE / trial_bytes)
            write_journal(journal, recorded, trials)
            journals.append(journal)

        allowed_mb = ALLOWED_TRIALS * trial_bytes / MEGABYTE
        print(
            f"a trial has {trial_bytes / MEGABYTE:.1f} MB; allowed: {allowed_mb:.0f} MB beyond"
        )
        for command in COMMANDS:
            print_measurements(
                command,
                small_journal=small_journal,
                journals=journals,
                allowed_mb=allowed_mb,
            )


if __name__ == "__main__":
    main()
