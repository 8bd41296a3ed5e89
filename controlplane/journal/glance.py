"""Sums a journal up without reading all of it: the chain of every line, but of the events only those that count.

For lists of many journals. Texts that are stored apart stay references, and steps are not looked into.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.events import JOURNAL_EVENT, SCHEMA_VERSION, RunOpened
from controlplane.journal.lines import GENESIS, hash_of, is_torn
from controlplane.summary import RunSummary

COUNTED: Final = frozenset(
    {
        b"run_opened",
        b"run_started",
        b"run_submitted",
        b"run_polled",
        b"run_closed",
        b"run_resumed",
        b"run_notice",
        b"trial_started",
        b"trial_failed",
        b"trial_ended",
        b"trial_left_open",
        b"score",
        b"notice",
        b"model_replied",
    }
)
"""The types of the events that a list needs."""
_HEAD: Final = re.compile(
    rb'\{"prev":"[0-9a-f]{32}","at_ms":(?P<at_ms>\d+),(?:"trial_id":"(?:[^"\\]|\\.)*",)?"type":"(?P<type>[a-z_]+)"'
)


def glance_at(path: Path) -> RunSummary:
    """Return what the journal at `path` amounts to. Raises `NotAJournal`, `JournalDamaged`, as reading all of it does
    but for events that are not looked into."""
    summary, previous, number = RunSummary(), GENESIS, 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n") and is_torn(line, previous):
                    break
                if number == 1 and not line.startswith(b'{"prev":"'):
                    msg = f"{path} is no journal: its first line is not one of a journal"
                    raise NotAJournal(msg)
                if not line.endswith(b"\n"):
                    msg = "it is cut off, and is not the beginning of a line either"
                    raise ValueError(msg)
                previous = hash_of(line[:-1], previous)
                found = _HEAD.match(line)
                if found is None or found["type"] in COUNTED:
                    _take(summary, path, line)
                else:
                    summary.last_ms = max(summary.last_ms, int(found["at_ms"]))
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise NotAJournal(msg) from error
    except ValueError as error:
        what = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        msg = f"{path} is damaged at line {number}: {what}"
        raise JournalDamaged(msg) from error
    if summary.opened is None:
        msg = f"{path} is no journal: it holds no whole line of one"
        raise NotAJournal(msg)
    return summary


def newest_first(folder: Path) -> list[Path]:
    """Return the journals of a folder, the one that was written to last first."""
    stamped: list[tuple[float, Path]] = []
    for each in folder.glob("*.jsonl"):
        try:
            stamped.append((each.stat().st_mtime, each))
        except FileNotFoundError:  # removed since
            continue
    return [path for _, path in sorted(stamped, reverse=True)]


def name_in(path: Path) -> str:
    """Return the name that the run of a journal was given; empty where it has none, or the file is no journal."""
    try:
        with path.open("rb") as file:
            event = JOURNAL_EVENT.validate_python(_fields(file.readline()))
    except (OSError, ValueError):
        return ""
    return event.name if isinstance(event, RunOpened) else ""


def is_being_written(path: Path) -> bool:
    """Say whether a process has the journal at `path` open to write it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _take(summary: RunSummary, path: Path, line: bytes) -> None:
    event = JOURNAL_EVENT.validate_python(_fields(line))
    if summary.opened is None:
        if not isinstance(event, RunOpened):
            msg = f"{path} is no journal: it does not begin with the opening of a run"
            raise NotAJournal(msg)
        if event.schema_version != SCHEMA_VERSION:
            msg = f"{path} has schema version {event.schema_version}; this version reads {SCHEMA_VERSION}"
            raise NotAJournal(msg)
    summary.fold(event)


def _fields(line: bytes) -> dict[str, object]:
    fields: dict[str, object] = json.loads(line)
    fields.pop("prev", None)
    fields.pop("hash", None)
    return fields
