"""Sums a journal up without reading all of it: the chain of every line, but of the events only those that count.

For lists of runs, whose texts stay references but for those that say how each was opened and how it ended, and for
lists of a run's trials, whose texts are in their place. What a trial is busy with is told by neither.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, get_args

from agent.events import EndpointLearned, ModelReplied, Noticed
from controlplane.errors import NotAJournal, UsageError
from controlplane.journal.chained_lines import resolved
from controlplane.journal.journal_reader import Chain, events_behind, fields_of, joined_event
from controlplane.journal.run_events import JOURNAL_EVENT, JournalEvent, RunEvent, RunOpened, TextStored
from controlplane.journal.run_summary import RunSummary

COUNTED: Final = frozenset(
    str(each.model_fields["type"].default).encode()
    for each in (*get_args(RunEvent), Noticed, ModelReplied, EndpointLearned)
    if each is not TextStored
)
"""The types of the events that a list of runs needs."""
COUNTED_OF_TRIALS: Final = COUNTED | {b"model_asked", b"step", b"submission_judged", b"answer_sent"}
"""The types of the events that a list of trials needs."""
LINES_BETWEEN_LOOKS: Final = 5_000
"""Lines that are read before it is told again how far reading is."""
_HEAD: Final = re.compile(
    rb'\{"prev":"[0-9a-f]{32}","at_ms":(?P<at_ms>\d+),(?:"trial_id":"(?:[^"\\]|\\.)*",)?"type":"(?P<type>[a-z_]+)"'
)
_KEY: Final = re.compile(rb',"key":"([0-9a-f]{32})"')
_REFERENCE: Final = re.compile(rb'"@text:([0-9a-f]{32})"')
_WITH_TEXTS: Final = frozenset({b"run_opened", b"run_closed"})
"""The types of the events whose texts a list of runs shows."""
_LARGE: Final = frozenset({b"step", b"model_replied", b"submission_judged"})
"""The types of the events whose texts no list shows."""


def glance_at(
    path: Path,
    *,
    at_trials: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunSummary:
    """Return what the journal at `path` amounts to, with `at_trials` all that a list of its trials shows, telling how
    many of its bytes are read.

    Raises `NotAJournal`, `JournalDamaged`, as reading all of it does but for events that are not looked into.
    """
    summary, places = RunSummary(), dict[bytes, tuple[int, int]]()
    counted, shown = (COUNTED_OF_TRIALS, COUNTED_OF_TRIALS - _LARGE) if at_trials else (COUNTED, _WITH_TEXTS)

    def parse(line: bytes, chain: Chain) -> JournalEvent | None:
        if chain.lines % LINES_BETWEEN_LOOKS == 0:
            on_progress(chain.length, path.stat().st_size)
        found = _HEAD.match(line)
        if found is None or found["type"] in counted:
            fields = fields_of(line)
            if found is not None and found["type"] in shown and (keys := _REFERENCE.findall(line)):
                fields = resolved(fields, _texts_of(keys, places, path))
            return joined_event(fields, chain, calls=False)
        if found["type"] == b"text" and (key := _KEY.match(line, found.end())):
            places[key[1]] = chain.length, len(line)
        summary.last_ms = max(summary.last_ms, int(found["at_ms"]))
        return None

    for event in events_behind(Chain(), path, parse):
        summary.fold(event)
    if summary.opened is None:
        msg = f"{path} is no journal: it holds no whole line of one"
        raise NotAJournal(msg)
    return summary


def newest_first(folder: Path) -> list[Path]:
    """Return the journals of a folder, the one that was written to last first; none if there is no such folder.

    Raises `UsageError` if it cannot be read.
    """
    stamped: list[tuple[float, Path]] = []
    try:
        for each in folder.iterdir():
            if each.suffix == ".jsonl":
                with contextlib.suppress(FileNotFoundError):  # removed since
                    stamped.append((each.stat().st_mtime, each))
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f"cannot read the folder of the journals {folder}: {error.strerror}; name another with --runs-dir"
        raise UsageError(msg) from error
    return [path for _, path in sorted(stamped, reverse=True)]


def name_in(path: Path) -> str:
    """Return the name that the run of a journal was given; empty if it has none, or if the file is no journal."""
    try:
        with path.open("rb") as file:
            texts: dict[str, str] = {}
            for line in file:
                event = JOURNAL_EVENT.validate_python(resolved(fields_of(line), texts))
                if not isinstance(event, TextStored):
                    return event.name if isinstance(event, RunOpened) else ""
                texts[event.key] = event.text
    except (OSError, ValueError, KeyError, RecursionError):
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
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks, on which nothing can be written either
        return False
    finally:
        os.close(file)
    return False


def _texts_of(keys: Iterable[bytes], places: Mapping[bytes, tuple[int, int]], path: Path) -> dict[str, str]:
    """Return the texts of these keys whose places in the journal are known."""
    found = {}
    with path.open("rb") as file:
        for key in keys:
            if key in places:
                start, length = places[key]
                found[key.decode()] = json.loads(os.pread(file.fileno(), length, start))["text"]
    return found
