"""Saves a question, its files and its answer as a task of the benchmark `folder`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from controlplane.benchmark import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark
from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused
from controlplane.journal.journal_reader import open_journal
from controlplane.questions.scope import benchmark_options
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds
from controlplane.view.answer.asked_answer import AskedAnswer

MAX_SOURCE_FILES = bounds.MOST_TASK_FILES * 4 // 5
"""The largest number of source files. A task also has files and folders of its own."""
MAX_SOURCE_SHARE = 0.9
"""The share of a task's size that the source files may take. A task has files of its own, too."""
MAX_SOURCE_MB = int(bounds.MOST_TASK_BYTES * MAX_SOURCE_SHARE) // 1_000_000
"""The largest size of the source files together."""


def check_task_folder(folder: Path) -> None:
    """Raise `UsageError` unless the folder is new or empty, so that a task can be saved in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"--save-task {folder}: it is not an empty folder; name a new one"
        raise UsageError(msg)


def save_task(folder: Path, answer: AskedAnswer, journal: Path) -> None:
    """Write a journal's question, all files that it covers, and its answer as a task.

    Raises `UsageError` if there are too many files, and `ChangeRefused` if they have changed.
    """
    with open_journal(journal) as opened:
        options = benchmark_options(opened)
        benchmark = open_benchmark(
            str(opened.setting("benchmark")), options, BenchmarkContext()
        )
        recorded_world = opened.opened.versions.world
    if benchmark.world_version != recorded_world:
        reason = "nothing is saved: files have changed since the question was asked"
        raise ChangeRefused(folder, reason)

    # `sources` are the files of the question. `contents` are the files of the task, by
    # their paths in its folder:
    # - `files/PATH`: a file of the question, as it was before the answer.
    # - `after/0`, `after/1` …: the new text of each file that the answer changes.
    # - `task.toml`: the question, and what is expected of an answer.
    sources = benchmark.files or {}
    contents = _source_files(folder, sources)
    file_of_change: dict[str, str | None] = {}  # None for a deleted file.
    for path, new_text in sorted(answer.changes.items()):
        if sources.get(path) == new_text:  # It has its old text again.
            continue
        if new_text is None:
            file_of_change[path] = None
        else:
            file_name = f"after/{len(file_of_change)}"
            file_of_change[path] = file_name
            contents[file_name] = new_text.encode(errors="replace")
    contents["task.toml"] = _task_toml(answer, options, set(sources), file_of_change)

    for name, content in contents.items():
        write_whole(folder / name, content, folder)


def _source_files(folder: Path, sources: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files that the question covers, by their paths in the task's folder."""
    contents: dict[str, bytes] = {}
    size = 0
    for path, text in sources.items():
        data = text.encode(errors="replace")
        contents[f"files{path}"] = data
        size += len(data)
        if len(contents) > MAX_SOURCE_FILES or size > MAX_SOURCE_MB * 1_000_000:
            msg = (
                f"--save-task: nothing is written to {folder}: a task has at most "
                f"{MAX_SOURCE_FILES:,} files and {MAX_SOURCE_MB} MB; name fewer sources"
            )
            raise UsageError(msg)
    return contents


def _task_toml(
    answer: AskedAnswer,
    options: Mapping[str, str],
    sources: set[str],
    file_of_change: Mapping[str, str | None],
) -> bytes:
    """Return the contents of task.toml.

    `file_of_change` maps each changed path to the
    file with its new text; None for a deletion.
    """
    lines = [f"instruction = {toml_text(answer.summary.instruction)}"]
    if answer.now:
        lines.append(f'clock = "{answer.now}"')

    lines.append("[question]  # Scripts may call what `ask` offers.")
    # The folder in which files may change, and the earlier questions of the dialogue.
    for name in ("write", "earlier"):
        if options.get(name):
            lines.append(f"{name} = {toml_text(options[name])}")
    for server in answer.servers:
        lines.append(f"[mcp.{server}]")

    # The files that were read but not cited.
    tolerated = (answer.read.keys() & sources) - answer.cited
    lines += [
        "[expected]",
        f"outcome = {toml_text(answer.summary.outcome)}",
        "# The values of this answer must be in an answer, in any words. "
        "For other demands see docs/benchmarks.md.",
        f"states = {toml_text(answer.summary.answer.strip())}",
        f"references = {toml_text(sorted(answer.cited & sources))}",
        f"tolerated = {toml_text(sorted(tolerated))}",
    ]
    for path, file in file_of_change.items():
        lines.append("[[expected.change]]")
        lines.append(f"path = {toml_text(path)}")
        if file is None:
            lines.append("deleted = true")
        else:
            lines.append(f"file = {toml_text(file)}")
    return ("\n".join(lines) + "\n").encode(errors="replace")


def toml_text(value: object) -> str:
    """Return a text, or a list of texts, as TOML. TOML has the same escapes as JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
