"""Prints what a command takes to read journals of several lengths, beyond what it takes for a small one.

    show {journal}: 43 MB for one small trial
        25 MB:    2 MB beyond,  31.0 ms a MB, exit 0

A *journal* is the file with all events of a run. Each command runs in a process of its own.
"""

import json
from pathlib import Path

import controlplane
from controlplane import Task, TaskEnvironment
from tests.bench.journals.reader_costs import measure

# Records one trial of a chosen size, whose script reads files and prints them.
#
# `record_trial(folder, megabytes=4)` returns the path of its journal, the file with all events of a
# run, which has about 4 MB.

MEGABYTE = 1_000_000


FILE_CHARS = 100_000
"""Characters of a file that a script reads and prints."""


JOURNAL_BYTES_OF_FILE = 2 * FILE_CHARS
"""A file is in the journal twice: as the result of a call, and as the output of the script."""


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
    """Write a file with the replies of a scripted model, one for each script. Return its path."""
    replies = []
    for script in scripts:
        # A JSON text is also a TOML text.
        replies.append(
            f'[[reply]]\nstate = "s"\ndone = true\ncode = {json.dumps(script)}\n'
        )
    path = folder / "replies.toml"
    path.write_text("\n".join(replies), "utf-8")
    return path


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
