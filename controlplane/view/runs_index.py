"""Totals of the journals of a folder, kept beside them in one file, so that a list reads only new journals.

The file is a cache: missing and changed totals are read from the journals, and the file is rewritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from agent.events import Record
from controlplane.errors import ControlPlaneError, JournalDamaged
from controlplane.journal.journal_file import small_file
from controlplane.journal.journal_index import glance_at
from controlplane.view.result_json import RunTotals, run_totals

INDEX_FILE: Final = ".runs-index.json"
MOST_BYTES: Final = 64 << 20
"""Most bytes of an index; a larger one is discarded."""


class _Line(Record):
    stamp: tuple[int, ...]
    run: RunTotals


class _File(Record):
    form: Literal[6] = 6
    """Changes whenever the fields or their meanings change."""
    lines: dict[str, _Line]


def indexed_runs(
    folder: Path, paths: Sequence[Path], on_progress: Callable[[int, int], None] = lambda done, total: None
) -> list[RunTotals]:
    """Return the totals of each of `paths`, journals of `folder`. `on_progress` receives (done, total) journals.

    Journals written since the index are read, and the index is rewritten if possible.
    """
    known = _read(folder)
    lines: dict[str, _Line] = {}
    for number, path in enumerate(paths, start=1):
        stamp = _stamp(path)
        line = known.get(path.name)
        if line is None or not stamp or line.stamp != stamp:
            line = _Line(stamp=stamp, run=_glanced(path))
        lines[path.name] = line
        on_progress(number, len(paths))
    kept = {name: line for name, line in known.items() if name not in lines and (folder / name).exists()}
    if kept | lines != known:
        _write(folder, kept | lines)
    return [lines[path.name].run for path in paths]


def indexed_names(folder: Path, paths: Sequence[Path]) -> dict[Path, str]:
    """Return the names of the runs whose lines in the index are current."""
    known = _read(folder)
    return {
        path: known[path.name].run.name
        for path in paths
        if path.name in known and known[path.name].stamp == _stamp(path)
    }


def _glanced(path: Path) -> RunTotals:
    try:
        summary = glance_at(path, at_trials=True)  # rejections are in the steps
    except ControlPlaneError as error:
        return RunTotals(fault="damaged" if isinstance(error, JournalDamaged) else "no journal", error=str(error))
    text = json.dumps(run_totals(summary).model_dump(), ensure_ascii=False)
    return RunTotals.model_validate_json(text.encode("utf-8", "replace"))  # UTF-8 cannot encode lone surrogates


def _stamp(path: Path) -> tuple[int, ...]:
    """Return values that change whenever a file is written or replaced; empty for a missing file."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _read(folder: Path) -> Mapping[str, _Line]:
    """Return the index of a folder; empty if the folder has no index that this version understands."""
    try:
        return _File.model_validate_json(small_file(folder / INDEX_FILE, MOST_BYTES) or b"").lines
    except ValidationError:
        return {}


def _write(folder: Path, lines: Mapping[str, _Line]) -> None:
    """Replace the index; do nothing if the folder cannot be written to."""
    new = folder / f"{INDEX_FILE}.{os.getpid()}"
    with suppress(OSError):
        try:
            new.write_bytes(_File(lines=dict(lines)).model_dump_json().encode())
            new.replace(folder / INDEX_FILE)
        except OSError:
            new.unlink()
