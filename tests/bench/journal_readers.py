"""Measures the memory and time that commands take to read journals of 25, 50 and 100 MB.

    python tests/bench/journal_readers.py [--megabytes 25 50 100] [--trial-megabytes 4]

One trial is recorded: a script reads files and prints them. Its lines are repeated
under other trial ids and with other texts until the journal has its size. Each command
is a process of its own. `beyond` is the peak of its memory without what it takes for a
journal of one small trial, which is mostly imported modules; the aim is at most 3 times
the largest trial. CPU per MB should not grow with the journal.
"""

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

FILE_CHARS = 100_000
"""Characters of a file that a script reads, and of what it prints: together 0.2 MB of a journal."""
MEGABYTE = 1_000_000
ALLOWED_TRIALS = 3
"""Times its largest trial that a reader may take in memory."""
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
"""A command, and what its own process took at its end. `ru_maxrss` would
count the memory that the process had before it became this program."""
COMMANDS = (
    ("show", "JOURNAL"),
    ("show", "JOURNAL", "--json"),
    ("runs", "--runs-dir", "FOLDER"),
    ("replay", "JOURNAL"),
    ("replay", "JOURNAL", "--trial", "TRIAL"),
    ("judge", "JOURNAL"),
    ("compare", "JOURNAL", "JOURNAL"),
    ("report", "JOURNAL", "-o", "FOLDER/report.html"),
    ("export", "JOURNAL", "--to", "FOLDER/trials.csv"),
    ("export", "JOURNAL", "--to", "FOLDER/calls.csv"),
    ("export", "JOURNAL", "--to", "FOLDER/spans-otel.jsonl"),
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one command took for one journal."""

    exit_code: int
    peak_mb: float
    cpu_s: float


def record_trial(folder: Path, megabytes: float) -> Path:
    """Record one trial whose part of the journal has about this size; return the journal."""
    files = {}
    replies = []
    for number in range(max(int(megabytes * MEGABYTE / (2 * FILE_CHARS)), 1)):
        path = f"/notes/{number}.md"
        files[path] = f"Note {number}. " + f"It was a quiet day in week {number}. " * (
            FILE_CHARS // 32
        )
        code = f"print(harness.read({path!r}).content[:{FILE_CHARS}])"
        replies.append(code)
    replies.append(
        "scratchpad['answer'], scratchpad['outcome'] = 'It was quiet.', 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: sp['answer'] == 'It was quiet.')"
    )
    replies_file = folder / "replies.toml"
    parts = []
    for code in replies:
        parts.append(
            f'[[reply]]\nstate = "s"\ndone = true\ncode = {json.dumps(code)}\n'
        )
    replies_file.write_text("\n".join(parts), "utf-8")

    run = controlplane.run(
        [
            Task(
                "quiet",
                "How was it?",
                environment=lambda: TaskEnvironment([], files=files),
            )
        ],
        model=f"scripted:{replies_file}",
        gates="none",
        runs_dir=str(folder / "recorded"),
    )
    return run.journal


def repeated(recorded: Path, trials: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a recorded run of one trial as those of a run of several."""
    events = [json.loads(line) for line in recorded.read_text("utf-8").splitlines()]
    trial_id = next(event["trial_id"] for event in events if "trial_id" in event)
    first = next(number for number, event in enumerate(events) if "trial_id" in event)
    last = max(number for number, event in enumerate(events) if "trial_id" in event)

    for event in events[:first]:
        if event["type"] == "run_started":
            allotted = event["trials"][0]
            event["trials"] = [
                {**allotted, "trial_id": f"{trial_id}-{number}"}
                for number in range(trials)
            ]
        yield event
    for number in range(trials):
        yield from _events_of_trial(
            events[first : last + 1], f"{trial_id}-{number}", number
        )
    yield from events[last + 1 :]


def _events_of_trial(
    events: list[dict[str, Any]], trial_id: str, number: int
) -> Iterator[dict[str, Any]]:
    """Yield a trial's events under another id, and with other texts, which it shares with none."""
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
        event = json.loads(line)
        if "trial_id" in event:
            event["trial_id"] = trial_id
        yield event


def write_journal(path: Path, recorded: Path, trials: int) -> None:
    """Write a journal in which a recorded trial is there several times."""
    previous = GENESIS
    with path.open("wb") as file:
        for event in repeated(recorded, trials):
            fields = {
                name: value
                for name, value in event.items()
                if name not in ("prev", "hash", "mark")
            }
            body = json.dumps(fields, separators=(",", ":")).encode()
            line, previous = line_of(body, previous)
            file.write(line)


def measure(command: tuple[str, ...], journal: Path) -> Measurement:
    """Run one command in a process of its own."""
    trial_id = controlplane.open_run(journal).trials[0].trial_id
    places = {"JOURNAL": str(journal), "TRIAL": trial_id}
    words = [
        places.get(word, word.replace("FOLDER", str(journal.parent)))
        for word in command
    ]
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
    return Measurement(process.returncode, report["peak_kb"] / 1024, report["cpu_s"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[25, 50, 100])
    parser.add_argument("--trial-megabytes", type=float, default=4)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        small = folder / "small" / "small.jsonl"
        small.parent.mkdir()
        write_journal(small, record_trial(small.parent, 0), trials=1)
        recorded = record_trial(folder, arguments.trial_megabytes)
        trial_bytes = recorded.stat().st_size

        journals = []
        for megabytes in arguments.megabytes:
            journal = folder / f"{megabytes:g}" / "run.jsonl"
            journal.parent.mkdir()
            write_journal(
                journal, recorded, trials=int(megabytes * MEGABYTE / trial_bytes)
            )
            journals.append(journal)

        allowed_mb = ALLOWED_TRIALS * trial_bytes / MEGABYTE
        print(
            f"a trial has {trial_bytes / MEGABYTE:.1f} MB; allowed: {allowed_mb:.0f} MB beyond"
        )
        for command in COMMANDS:
            base = measure(command, small)
            print(f"{' '.join(command)}: {base.peak_mb:.0f} MB for one small trial")
            for journal in journals:
                measured = measure(command, journal)
                megabytes = journal.stat().st_size / MEGABYTE
                beyond_mb = measured.peak_mb - base.peak_mb
                cpu_ms = (measured.cpu_s - base.cpu_s) * 1000 / megabytes
                verdict = "" if beyond_mb <= allowed_mb else "  TOO MUCH"
                print(
                    f"  {megabytes:4.0f} MB: {beyond_mb:4.0f} MB beyond, {cpu_ms:5.1f} ms a MB, "
                    f"exit {measured.exit_code}{verdict}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
