"""Reads journals: checks the chain of hashes, adds up totals, and reads each trial on demand.

with open_journal(Path("runs/x.jsonl")) as journal:
    for trial in journal.trials.values():
        print(trial.task_id, trial.score, [step.state for step in trial.steps])

`Journal.read` goes through the file once, and later continues where it stopped. It
parses only the events that the totals need. Of other lines it keeps only where they
begin, so it needs a few bytes of memory per line. Limits protect the reader of a
journal that somebody else wrote.
"""

from __future__ import annotations

import json
import os
import time
import warnings
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from controlplane.agent.events import TrialStarted
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import (
    ControlPlaneError,
    JournalDamaged,
    NotAJournal,
    UnknownEvents,
    UsageError,
    did_you_mean,
)
from controlplane.journal.journal_files import (
    journal_id,
    lines_of,
    open_to_read,
    reading_faults,
)
from controlplane.journal.journal_lines import (
    GENESIS,
    LineHead,
    checked_hash,
    head_of,
    text_key,
)
from controlplane.journal.line_parser import LineParser, fault_of_line, is_known
from controlplane.journal.run_events import (
    SCHEMA_VERSION,
    JournalEvent,
    RunOpened,
    RunResumed,
    Versions,
)
from controlplane.journal.state_files import own_key
from controlplane.journal.stored_texts import StoredTexts, TextLine, line_at
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.sandbox.interface import parse_json

_UNSIGNED_64_BITS: Final = "Q"
"""The type of the numbers in an `array`, which takes less memory than a list."""
_OF_THE_RUN: Final = b""
"""The key of the events that belong to no trial."""


def _key_of(trial_id: str) -> bytes:
    """Return a trial's key: `t-1` -> `b'"t-1"'`."""
    return json.dumps(trial_id).encode()


# Goes through the lines of a journal's file, and checks each of them once.
#
# A journal is a file of JSON lines. Each line repeats the hash of the line before it, so that a
# changed or missing line is found. Most lines are events; the others are texts that events
# refer to. Another process may still be adding lines.

_MAX_BYTES_BEFORE_OPENING: Final = 4 << 20
"""Bytes of stored texts that may precede the `run_opened` event, which refers to them."""


_MAX_UNKNOWN_TYPES: Final = 8
"""Types of unknown events that are remembered. Any line of a stranger may have another type."""
_MAX_TYPE_CHARS: Final = 40
_MAX_SHOWN_CANDIDATES: Final = 8
"""Trials that an error message lists if a name fits several."""


class Journal:
    """An open journal: the totals of the part that was read, and its trials, read on demand.

    Use `open_journal` to open and read one. Call `read` again to add what a running
    process has written since. `close` closes the file, as does the garbage collector.
    In memory are a few bytes per line of the journal, and the trial that is being read.

    The file is gone through once, and later continued where that stopped. An incomplete last line
    is accepted, since another process may still be writing it. Any other fault is damage. Events of
    a type that this version does not know are left out, which the warning `UnknownEvents` tells.

    `read_on` reads the lines that were not read so far. It advances the position (how far the
    file was read: `whole_lines`, `length`, `last_hash` ...) line by line, so the next call
    continues there, even after an error.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal at `path` without reading it. Raises `NotAJournal`."""
        self.path = path
        self.file = open_to_read(path)
        self.close = weakref.finalize(self, self.file.close)
        """Closes the file; a second call does nothing. Without a call, the file is closed
        when this object is freed."""
        self.texts = StoredTexts(self.file)
        """The long strings of its events. Each is stored in a line of its own."""
        self._places: dict[bytes, array[int]] = {}
        """The bytes at which the lines of events begin, by trial, to read a single one: a journal may
        have hundreds of megabytes. A trial's key is its id as a JSON string, as it is in each line:
        `b'"t-1"'`."""
        self._parser = LineParser(self.texts)

        # The position: how far the file was read
        self.whole_lines = 0
        """The number of complete lines read so far."""
        self.length = 0
        """Bytes of these lines."""
        self.last_hash = GENESIS
        """The hash of the last of these lines. The next line repeats it in its field `prev`."""
        self.is_opened = False
        """True once the `run_opened` event was read, the first event of every journal."""
        self.is_torn = False
        """True if an incomplete line follows the complete ones."""
        self.last_skipped_ms = 0
        """The time of the latest event that `read_on` did not yield, as totals do not need it."""
        self.unknown_types: list[str] = []
        """The types of the events that were left out, since this version does not know them."""

        # Whose journal it is
        self._key = own_key()
        """This user's secret key; None without one."""
        self.first_unsigned_line = 0
        """The number of the first event line that this key has not signed; 0 if there is none."""

        # What was read
        self.summary = RunSummary()
        """Totals of the run."""
        self.versions: list[Versions] = []
        """Versions at the start of the run and at each resumption."""
        self._trials: dict[str, RecordedTrial] = {}

    def read_on(self, *, for_totals: bool = False) -> Iterator[JournalEvent]:
        """Check the unread lines, and yield their events.

        With `for_totals`, yields only the events that the totals need, without texts
        that they do not need.

        Stops at the end of the file, and before an incomplete last line. Yields nothing
        if the journal is still empty. Raises `NotAJournal` and `JournalDamaged`.
        """
        # This reading gets a file object of its own, which has its own buffer and is closed at the
        # end of the block. Closing it also closes its descriptor. So it gets a copy (`dup`):
        # `self.file` stays open, from which single events and texts are read later.
        with (
            reading_faults(self.path),
            os.fdopen(os.dup(self.file.fileno()), "rb") as file,
            self._damage_reported(),
        ):
            file.seek(self.length)
            for line in self._complete_lines(file):
                event = self._take_line(line, for_totals=for_totals)
                if event is not None:
                    yield event

    def _complete_lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Yield the lines from here on, up to an incomplete last one."""
        for line in lines_of(file):
            if not line.endswith(b"\n"):
                self.is_torn = True
                return
            yield line
        self.is_torn = False

    @contextmanager
    def _damage_reported(self) -> Iterator[None]:
        """Translate the fault of a line into `JournalDamaged`, with the number of the line."""
        try:
            yield
        except (ValueError, KeyError) as error:
            number = self.whole_lines + 1
            msg = f"{self.path} is damaged at line {number}: {fault_of_line(error)}"
            raise JournalDamaged(msg) from error

    def _take_line(self, line: bytes, *, for_totals: bool) -> JournalEvent | None:
        """Check the next line, record where it is, and return its event.

        Returns None for the line of a stored text (a long string that events refer to)
        and, with `for_totals`, for an event that the totals do not need.

        Raises `ValueError` and `KeyError` if the line is damaged, and `NotAJournal`.
        """
        if self.whole_lines == 0 and not line.startswith(b'{"prev":"'):
            msg = (
                f"{self.path} is not a journal: its first line is not one of a journal"
            )
            raise NotAJournal(msg)
        # After the first line that this user has not signed, the journal counts as another
        # user's. To check further signatures would take time and change nothing.
        key_to_check = None if self.first_unsigned_line else self._key
        line_hash, is_signed = checked_hash(line[:-1], self.last_hash, key_to_check)

        # Only lines of events are signed. A text is protected by its hash, which is its key.
        head = head_of(line)
        event = None
        if head is not None and head.event_type == b"text":
            # Record where a stored text is: at `self.length`, the end of the last line.
            key = text_key(line, head)
            if key is None:
                msg = "a stored text does not match its key"
                raise ValueError(msg)
            self.texts.add(key, TextLine(place=self.length, size=len(line)))
            if not self.is_opened and self.length > _MAX_BYTES_BEFORE_OPENING:
                msg = "the opening of the run does not come before it"
                raise ValueError(msg)
        else:
            event = self._take_event(line, head, for_totals=for_totals)
            if not is_signed and not self.first_unsigned_line:
                self.first_unsigned_line = self.whole_lines + 1

        self.last_hash = line_hash
        self.whole_lines += 1
        self.length += len(line)
        return event

    def _take_event(
        self, line: bytes, head: LineHead | None, *, for_totals: bool
    ) -> JournalEvent | None:
        """Parse the line of an event, and record where it is.

        `head` has the fields at the beginning of the line, as bytes; None if they were not
        found. Raises `ValueError` and `KeyError`.
        """
        self.texts.count_references(line, self.length + len(line))
        event_type = head.event_type if head is not None else b""
        if head is not None and not is_known(event_type):
            # Leave out an event of a type that this version does not know, and warn of the
            # first.
            if not self.is_opened:
                raise NotAJournal(_without_opening(self.path))
            self.last_skipped_ms = max(self.last_skipped_ms, head.at_ms)
            type_name = head.event_type[:_MAX_TYPE_CHARS].decode()
            is_new = type_name not in self.unknown_types
            if is_new and len(self.unknown_types) < _MAX_UNKNOWN_TYPES:
                self.unknown_types.append(type_name)
                text = (
                    f"{self.path} has events `{type_name}`, which this version does not know: "
                    "they are left out"
                )
                warnings.warn(text, UnknownEvents, stacklevel=2)
            return None
        if for_totals:
            event = self._parser.counted_event_of(line, event_type)
        else:
            event = self._parser.event_of(line)
        if head is None:
            # The parser comes first, because it names the fault of most such lines.
            msg = "it does not have the form of a journal's line"
            raise ValueError(msg)

        if event is None:  # the totals do not need it, except for its time
            self.last_skipped_ms = max(self.last_skipped_ms, head.at_ms)
        else:
            # Raise an error unless the first event, and no other, opens the run.
            if not self.is_opened:
                if not isinstance(event, RunOpened):
                    raise NotAJournal(_without_opening(self.path))
                if event.schema_version != SCHEMA_VERSION:
                    msg = (
                        f"{self.path} is a journal of schema version {event.schema_version}; "
                        f"this version of the control plane reads version {SCHEMA_VERSION} alone"
                    )
                    raise NotAJournal(msg)
                self.is_opened = True
            elif isinstance(event, RunOpened):
                msg = "it opens the run a second time"
                raise ValueError(msg)
        key = head.trial
        if b"\\u" in key:
            # The id may have half of a surrogate pair, as in `b'"t-\\ud83d"'`. The parser puts
            # another character in its place, and callers look the trial up by that id.
            key = _key_of(str(parse_json(key)))
        # A trial that begins again without its earlier attempts forgets their lines.
        starts_over = isinstance(event, TrialStarted) and event.begins_anew
        if starts_over or key not in self._places:
            self._places[key] = array(_UNSIGNED_64_BITS)
        self._places[key].append(self.length)
        return event

    @property
    def is_own(self) -> bool:
        """True if this user's key has signed every event: each line has its mark."""
        return self._key is not None and self.is_opened and not self.first_unsigned_line

    @property
    def fault_of_marks(self) -> str:
        """Why the journal does not count as this user's own; empty if it does."""
        if self.is_own:
            return ""
        if self._key is None:
            return "you have no key on this machine that marks journals as yours"
        return f"you did not write its line {self.first_unsigned_line} here"

    # Its totals

    def read(self, seconds: float | None = None) -> bool:
        """Read the rest of the file, and add it to the totals. Stop after `seconds`, if given.

        Returns True if the time was over before the end of the file, so that more may
        be left to read.

        Raises `NotAJournal` and `JournalDamaged`. Events that the totals do not need are
        not parsed, so faults inside of them are not found.
        """
        until = None if seconds is None else time.monotonic() + seconds
        try:
            for event in self.read_on(for_totals=True):
                fold_event(self.summary, event)
                if isinstance(event, RunOpened | RunResumed):
                    self.versions.append(event.versions)
                if until is not None and time.monotonic() > until:
                    return True
        finally:
            # The time of the latest event tells how long the run has taken, even if the
            # totals do not need that event.
            self.summary.process.note_time(self.last_skipped_ms)
        return False

    @property
    def opened(self) -> RunOpened:
        """The run's first event: its settings, model and versions.

        Raises `NotAJournal` without one.
        """
        if self.summary.opened is None:
            msg = f"{self.path} is not a journal: it holds no whole line of one"
            raise NotAJournal(msg)
        return self.summary.opened

    @property
    def run(self) -> str:
        """The journal's id, which commands accept as RUN."""
        return journal_id(self.path)

    def setting(self, name: str) -> object:
        """Return the value of a setting of the run; None if it is not recorded."""
        return self.opened.setting(name)

    def events_of_run(self) -> Iterator[JournalEvent]:
        """Yield the events about the run as a whole, read again. Raises `JournalDamaged`."""
        return self._events_at(_OF_THE_RUN)

    # Its trials

    def places_of(self, trial_id: str) -> Sequence[int]:
        """Return the bytes at which the lines of a trial begin; empty if it has not begun."""
        return self._places.get(_key_of(trial_id), ())

    def events_of_trial(self, trial_id: str) -> Iterator[JournalEvent]:
        """Yield the events of a trial, read again from the file. Raises `JournalDamaged`."""
        return self._events_at(_key_of(trial_id))

    def _events_at(self, key: bytes) -> Iterator[JournalEvent]:
        """Yield the events of a trial's key. A line that was changed since raises `JournalDamaged`."""
        parser = LineParser(self.texts)
        for place in self._places.get(key, ()):
            try:
                event = parser.event_of(line_at(self.file, place))
            except (ValueError, KeyError) as error:
                msg = f"{self.path} cannot be read at byte {place}: {fault_of_line(error)}"
                raise JournalDamaged(msg) from error
            yield event

    @property
    def trials(self) -> Mapping[str, RecordedTrial]:
        """Every trial by its id, in the benchmark's order."""
        # Made anew only if the journal has got further trials since.
        if len(self._trials) != len(self.summary.trials):
            self._trials = {
                trial_id: RecordedTrial(self, trial_id)
                for trial_id in list(self.summary.trials)
            }
        return self._trials

    def unfinished_records(self) -> dict[str, TrialRecord]:
        """Return the records of the trials that have begun and not ended, by trial id."""
        records: dict[str, TrialRecord] = {}
        for trial in self.trials.values():
            if trial.has_begun and not trial.summary.is_over:
                records[trial.trial_id] = trial.record
        return records

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` names.

        `name` is a trial's id or its task's id, or the beginning of one of them if it fits only one
        trial: "ord" for the trial of `orders.3`. Raises `UsageError` if it fits none, or several.
        """
        trials = self.summary.trials
        candidates: list[str] = []
        for trial_id, trial in trials.items():
            if name in (trial_id, trial.task_id):
                return trial_id
            if trial_id.startswith(name) or trial.task_id.startswith(name):
                candidates.append(trial_id)

        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            shown = ", ".join(candidates[:_MAX_SHOWN_CANDIDATES])
            msg = f"{name!r} fits several trials: {shown}"
        else:
            task_ids = [trial.task_id for trial in trials.values()]
            msg = f"no trial {name!r} in {self.run}{did_you_mean(name, task_ids)}"
        raise UsageError(msg)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _without_opening(path: Path) -> str:
    return f"{path} is not a journal: it does not begin with the opening of a run"


def open_journal(path: Path) -> Journal:
    """Return the journal at `path`, checked and read to its end.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    journal = Journal(path)
    journal.read()
    journal.opened  # noqa: B018 - raises for a file without a complete line
    return journal


def glance_at(path: Path) -> RunSummary:
    """Return the totals of the journal at `path`, such as scores and cost, and close it.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    return open_journal(path).summary


def summary_of(path: Path) -> RunSummary:
    """Return the totals of a journal; empty ones if it does not exist or is not a journal yet."""
    if not path.exists():
        return RunSummary()
    try:
        return glance_at(path)
    except NotAJournal:
        return RunSummary()


def name_in(path: Path) -> str:
    """Return the name of a journal's run; empty if the run has none, or the file is not a journal.

    Reads the first event only.
    """
    with suppress(ControlPlaneError):
        for event in Journal(path).read_on():
            return event.name if isinstance(event, RunOpened) else ""
    return ""
