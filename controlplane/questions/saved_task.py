"""Saves a question, its files and its answer as a task of the benchmark `folder`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.benchmark import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark
from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused
from controlplane.journal.journal_reader import open_journal
from controlplane.questions.scope import benchmark_options
from controlplane.questions.task_toml import task_toml
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
    contents["task.toml"] = task_toml(answer, options, set(sources), file_of_change)

    for name, content in contents.items():
        write_whole(folder / name, content, folder)


def _source_files(folder: Path, sources: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files that the question covers: `{"/a.md": "text"}` -> `{"files/a.md": b"text"}`.

    Raises `UsageError`, which names the task's `folder`, if they are too many or too large.
    """
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
