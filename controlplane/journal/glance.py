"""Sums a journal up without reading all of it: the chain of every line, but of the events only those that count.

For lists of many journals. Texts that are stored apart stay references but for those that say how the run was opened
and how it ended; steps are not looked into.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.events import JOURNAL_EVENT, SCHEMA_VERSION, RunOpened, TextStored
from controlplane.journal.lines import GENESIS, hash_of, is_torn, resolved
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
_KEY: Final = re.compile(rb',"key":"([0-9a-f]{32})"')
_REFERENCE: Final = re.compile(rb'"@text:([0-9a-f]{32})"')
_WITH_TEXTS: Final = frozenset({b"run_opened", b"run_closed"})
"""The types of the events whose texts a list shows."""


def glance_at(path: Path) -> RunSummary:
    """Return what the journal at `path` amounts to. Raises `NotAJournal`, `JournalDamaged`, as reading all of it does
    but for events that are not looked into."""
    summary, previous, number, length = RunSummary(), GENESIS, 0, 0
    places: dict[bytes, tuple[int, int]] = {}
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
                    is_shown = found is not None and found["type"] in _WITH_TEXTS
                    _take(summary, path, line, _texts_of(line, places, file.fileno()) if is_shown else None)
                else:
                    if found["type"] == b"text" and (key := _KEY.match(line, found.end())):
                        places[key[1]] = length, len(line)
                    summary.last_ms = max(summary.last_ms, int(found["at_ms"]))
                length += len(line)
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise NotAJournal(msg) from error
    except (ValueError, KeyError) as error:
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
            texts: dict[str, str] = {}
            for line in file:
                event = JOURNAL_EVENT.validate_python(resolved(_fields(line), texts))
                if not isinstance(event, TextStored):
                    return event.name if isinstance(event, RunOpened) else ""
                texts[event.key] = event.text
    except (OSError, ValueError, KeyError):
        return ""
    return ""


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


def _texts_of(line: bytes, places: Mapping[bytes, tuple[int, int]], file: int) -> dict[str, str]:
    """Return the texts that `line` refers to, by their keys, of those whose places in `file` are known."""
    keys = [each for each in _REFERENCE.findall(line) if each in places]
    return {each.decode(): json.loads(os.pread(file, places[each][1], places[each][0]))["text"] for each in keys}


def _take(summary: RunSummary, path: Path, line: bytes, texts: Mapping[str, str] | None) -> None:
    fields = _fields(line)
    event = JOURNAL_EVENT.validate_python(fields if texts is None else resolved(fields, texts))
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
