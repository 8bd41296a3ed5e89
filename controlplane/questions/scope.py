"""The files that a question covers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from controlplane.errors import UsageError, as_usage_error
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """The files that a question covers."""

    root: Path
    """The folder that contains all named sources."""
    sources: tuple[str, ...] = ()
    """The sources, relative to the root; empty for the whole root."""
    writable_folder: str = ""
    """The folder that scripts may write to, relative to the root; empty for none."""


def question_scope(sources: tuple[str, ...], write: str | None = None) -> QuestionScope:
    """Return the scope of the named files and folders, by default the working folder.

    `write` is the folder that scripts may change. Raises `UsageError` if it is a file.

    For example, the sources are `docs/a.md` and `docs/b/`, and `write` is `out`. Then the
    root is the folder that contains all three, the scope's sources are `docs/a.md`,
    `docs/b` and `out`, and its writable folder is `out`.
    """
    source_paths = [_real_path(source) for source in sources or (".",)]
    writable = _real_path(write) if write else None
    if writable is not None and writable.exists() and not writable.is_dir():
        msg = f"--write {write}: it is a file; name a folder"
        raise UsageError(msg)

    folders = [path if path.is_dir() else path.parent for path in source_paths]
    if writable is not None:
        folders.append(writable)
    root = Path(os.path.commonpath(folders))

    # If the only source is the root, no names are given: the scope is the whole root.
    names: list[str] = []
    if source_paths != [root]:
        names = [str(path.relative_to(root)) for path in source_paths]
    if writable is None:
        return QuestionScope(root, tuple(names))

    # Scripts also read what is in the writable folder. It may not exist yet.
    is_in_a_source = any(writable.is_relative_to(path) for path in source_paths)
    if writable.is_dir() and not is_in_a_source:
        names.append(str(writable.relative_to(root)))
    return QuestionScope(root, tuple(names), str(writable.relative_to(root)))


def _real_path(path: str) -> Path:
    return Path(os.path.realpath(Path(path).expanduser()))


def recorded_scope(path: Path) -> QuestionScope:
    """Return the scope of the question that a journal records."""
    with open_journal(path) as journal:
        options = benchmark_options(journal)
        root = str(journal.setting("benchmark")).partition(":")[2]
    with as_usage_error(f"{path}: its sources cannot be read", Unreadable):
        sources = read_json(options.get("only") or "[]")
    return QuestionScope(Path(root), tuple(sources), options.get("write", ""))


def benchmark_options(journal: Journal) -> dict[str, str]:
    """Return the options of the benchmark that a journal's question was asked with."""
    options = journal.setting("set")
    if not isinstance(options, dict):
        return {}
    return {name: str(value) for name, value in options.items()}
