"""Goes through a journal once: checks its chain, sums it up, and notes where each trial's lines and each text stand.

Of the events only those that count are parsed; what it keeps grows with the number of lines, not with their bytes.
"""

from __future__ import annotations

import json
import os
import re
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, get_args

from agent.events import EndpointLearned, ModelReplied, Noticed
from controlplane.errors import ControlPlaneError, NotAJournal
from controlplane.journal.journal_file import byte_stream, open_unpacked
from controlplane.journal.journal_lines import key_of, resolved
from controlplane.journal.journal_reader import REFERENCE_BYTES, Chain, events_in, fields_of, joined_event
from controlplane.journal.run_events import (
    JOURNAL_EVENT,
    JournalEvent,
    RunEvent,
    RunOpened,
    RunResumed,
    TextStored,
    Versions,
)
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
CACHED_CHARS: Final = 8_000_000
"""Characters of texts that are kept in memory, for the next line that refers to them."""
FIRST_READ: Final = 1 << 11
"""Bytes that are read of a line at first; most have fewer."""
_HEAD: Final = re.compile(
    rb'\{"prev":"[0-9a-f]{32}","at_ms":(?P<at_ms>\d+),'
    rb'(?:"trial_id":(?P<trial>"(?:[^"\\]|\\.)*"),)?"type":"(?P<type>[a-z_]+)"'
)
_KEY: Final = re.compile(rb',"key":"([0-9a-f]{32})"')
_WITH_TEXTS: Final = frozenset({b"run_opened", b"run_closed"})
"""The types of the events whose texts a list of runs shows."""
_LARGE: Final = frozenset({b"step", b"model_replied", b"submission_judged"})
"""The types of the events whose texts no list shows."""


class PlacedLines:
    """Lines of a journal by the byte at which they begin. Its file is let go of with this object, or when closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._descriptor = os.dup(file.fileno())
        self._release = weakref.finalize(self, os.close, self._descriptor)

    def at(self, place: int) -> bytes:
        """Return the line that begins at byte `place`. Raises `ValueError` once this is closed."""
        if not self._release.alive:
            msg = "the journal is closed"
            raise ValueError(msg)
        line, size = b"", FIRST_READ
        while not (ended := line.find(b"\n") + 1):
            more = os.pread(self._descriptor, size, place + len(line))
            if not more:
                return line
            line, size = line + more, size * 4
        return line[:ended]

    def close(self) -> None:
        """Let go of the file. Closing twice does nothing."""
        self._release()


class StoredTexts(Mapping[str, str]):
    """The texts of a journal by key, read when they are asked for."""

    def __init__(self, lines: PlacedLines) -> None:
        self._lines = lines
        self._places: dict[bytes, int] = {}
        self._cache: dict[str, str] = {}
        self._cached_chars = 0

    def note(self, key: bytes, place: int) -> None:
        """Note that the text of `key` is in the line that begins at byte `place`."""
        self._places.setdefault(key, place)

    def __getitem__(self, key: str) -> str:
        """Return a text. Raises `KeyError` if there is none, and `ValueError` if it does not match its key."""
        if key not in self._cache:
            text = fields_of(self._lines.at(self._places[key.encode()]))["text"]
            if not isinstance(text, str) or key_of(text) != key:
                msg = "a stored text does not match its key"
                raise ValueError(msg)
            if self._cached_chars + len(text) > CACHED_CHARS:
                self._cache.clear()
                self._cached_chars = 0
            self._cache[key] = text
            self._cached_chars += len(text)
        return self._cache[key]

    def __iter__(self) -> Iterator[str]:
        return (place.decode() for place in self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(slots=True)
class JournalIndex:
    """The result of one pass through a journal."""

    lines: PlacedLines
    texts: StoredTexts
    summary: RunSummary = field(default_factory=RunSummary)
    chain: Chain = field(default_factory=Chain)
    versions: list[Versions] = field(default_factory=list)
    """Versions at the start of the run and at each resumption."""
    places: dict[bytes, array[int]] = field(default_factory=dict)
    """By trial id as JSON text, empty for the run itself: where its lines begin, without those of stored texts."""


def index_of(
    file: BinaryIO,
    path: Path,
    *,
    at_trials: bool = True,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> JournalIndex:
    """Go through the journal in `file`, which was opened at `path`, telling how many of its bytes are read.

    With `at_trials` the summary holds all that a list of its trials shows, else what a list of runs does. Raises
    `NotAJournal`, `JournalDamaged`, as reading every event does but for events that are not looked into.
    """
    lines = PlacedLines(file)
    index = JournalIndex(lines, StoredTexts(lines))
    counted, shown = (COUNTED_OF_TRIALS, COUNTED_OF_TRIALS - _LARGE) if at_trials else (COUNTED, _WITH_TEXTS)
    summary, texts, places = index.summary, index.texts, index.places

    def parse(line: bytes, chain: Chain) -> JournalEvent | None:
        if chain.lines % LINES_BETWEEN_LOOKS == 0:
            on_progress(chain.length, os.fstat(file.fileno()).st_size)
        found = _HEAD.match(line)
        at_ms, trial, kind = found.groups(b"") if found else (b"0", b"", b"")
        if kind == b"text" and found and (key := _KEY.match(line, found.end())):
            texts.note(key[1], chain.length)
        elif kind and at_trials:
            if trial not in places:
                places[trial] = array("Q")
            places[trial].append(chain.length)
        if kind and kind not in counted:
            summary.last_ms = max(summary.last_ms, int(at_ms))
            return None
        fields = fields_of(line)
        if kind in shown and REFERENCE_BYTES in line:
            fields = resolved(fields, texts)
        return joined_event(fields, chain, calls=False)

    for event in events_in(file, path, index.chain, parse):
        summary.fold(event)
        if isinstance(event, RunOpened | RunResumed):
            index.versions.append(event.versions)
    if summary.opened is None:
        msg = f"{path} is no journal: it holds no whole line of one"
        raise NotAJournal(msg)
    return index


def trial_key(trial_id: str) -> bytes:
    """Return the key of a trial in `JournalIndex.places`."""
    return json.dumps(trial_id).encode()


def glance_at(
    path: Path,
    *,
    at_trials: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RunSummary:
    """Return what the journal at `path` amounts to, with `at_trials` all that a list of its trials shows, telling how
    many of its bytes are read.

    Without it, texts stay references but for those that say how the run was opened and how it ended. What a trial is
    busy with is told by neither. Raises `NotAJournal`, `JournalDamaged`, as reading all of it does but for events that
    are not looked into.
    """
    with open_unpacked(path) as file:
        return index_of(file, path, at_trials=at_trials, on_progress=on_progress).summary


def opening_of(path: Path) -> RunOpened | None:
    """Return the first event of a journal without reading further; None if the file is no journal."""
    try:
        with byte_stream(path) as file:
            texts: dict[str, str] = {}
            for line in file:
                event = JOURNAL_EVENT.validate_python(resolved(fields_of(line), texts))
                if not isinstance(event, TextStored):
                    return event if isinstance(event, RunOpened) else None
                texts[event.key] = event.text
    except (ControlPlaneError, ValueError, KeyError, RecursionError):
        return None
    return None


def name_in(path: Path) -> str:
    """Return the name that the run of a journal was given; empty if it has none, or if the file is no journal."""
    opened = opening_of(path)
    return "" if opened is None else opened.name
