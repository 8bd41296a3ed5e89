"""Reads journals: checks the chain of hashes, adds up totals, and reads each trial on
demand.

with open_journal(Path("runs/x.jsonl")) as journal:
    for trial in journal.trials.values():
        print(trial.task_id, trial.score, [step.state for step in trial.steps])

`Journal.read` goes through the file once, and later continues where it stopped. It
parses only the events that the totals need. Of other lines it keeps only where they
begin, so it needs a few bytes of memory per line. An incomplete last line is accepted,
since it may still be being written. Any other fault is damage. Limits protect the
reader of a journal that somebody else wrote.
"""

from __future__ import annotations

import json
import os
import time
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

import re2
from pydantic import ValidationError

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    ConversationOpened,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    StepEvent,
    TrialStarted,
    event_classes,
    type_of,
)
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.agent.model import ASIDE_ROLES
from controlplane.agent.trial_record import SideReply, TrialRecord, TrialStep
from controlplane.errors import (
    ControlPlaneError,
    JournalDamaged,
    NotAJournal,
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
    REFERENCE,
    checked_hash,
    end_of_fields,
    key_of,
    own_key,
    referenced_keys,
    resolved,
    restore_parts,
)
from controlplane.journal.run_events import (
    JOURNAL_EVENT,
    SCHEMA_VERSION,
    JournalEvent,
    RunOpened,
    RunResumed,
    TrialFailed,
    Versions,
)
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.sandbox.interface import bounds, error_codes, parse_json, well_formed

COUNTED: Final = frozenset(
    type_of(kind).encode() for kind in event_classes() if kind.is_counted
)
"""The types of the events that the totals need."""
REFERENCE_BYTES: Final = f'"{REFERENCE}'.encode()
"""The bytes `"@text:`. A line that refers to a stored text contains them."""

# Every line begins with the same fields in the same order. A pattern finds them faster
# than a JSON parser. Two examples:
# {"prev":"0a1b…","at_ms":1764300000000,"type":"call","trial_id":"t-1",…}
# {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…"…}
_JSON_STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'  # "t-1", or with escapes: "t\u00e91"
_HEAD: Final = re2.compile(
    rb'\{"prev":"[0-9a-f]{32}"'
    rb',"at_ms":(\d{1,15})'
    rb',"type":"([a-z_]+)"'
    rb'(?:,"trial_id":(' + _JSON_STRING + rb"))?"
)
"""The beginning of every line: the time, the event's type and, if there is one, the
trial's id."""
_TEXT: Final = re2.compile(rb',"key":"([0-9a-f]{32})","text":"')
"""The part of a stored text's line between the type and the text. Its group is the
text's key."""

MOST_KEPT_CHARS: Final = 1_000_000
"""Characters of stored texts kept in memory, since later lines may refer to them again.
This is enough for the documents of one prompt, which every trial repeats."""
MAX_BYTES_BEFORE_OPENING: Final = 4 << 20
"""Bytes of stored texts that may precede the `run_opened` event, which refers to
them."""
# Two limits keep a small malicious journal from filling the memory with copies of a
# large text. The referenced bytes may be FREE_REFERENCED_BYTES +
# MAX_REFERENCED_PER_BYTE * (bytes of the journal). A text of 1,000 bytes that ten lines
# refer to counts as 10,000 referenced bytes.
MAX_REFERENCED_PER_BYTE: Final = 24
"""A run stays below this, since it stores a text again after 16 references
(`MOST_REFERENCES`)."""
FREE_REFERENCED_BYTES: Final = 16 << 20
"""A short journal, such as one with a single text, may refer to it more often than
that."""

OpenSteps: TypeAlias = dict[str, TrialStep]
"""Each trial's unfinished step, with its calls, citations and submissions so far, by
trial id."""

FIRST_READ_BYTES: Final = 2_048
"""Bytes of a line that are read at first. Most lines are shorter."""


def line_at(file: BinaryIO, place: int) -> bytes:
    """Return the line that begins at byte `place` of a journal.

    Raises `ValueError` if the file is closed."""
    data = b""
    size = FIRST_READ_BYTES
    while b"\n" not in data:
        more = os.pread(file.fileno(), size, place + len(data))
        if not more:
            return data  # The last line is incomplete.
        data += more
        size *= 4  # A line of a million bytes then takes six reads instead of hundreds.
    line, end, _ = data.partition(b"\n")
    return line + end


class _TextLine(NamedTuple):
    """Where in the journal the line of a stored text is."""

    place: int
    """Its first byte."""
    size: int
    """Its length in bytes."""


class StoredTexts:
    """The stored texts of a journal. Those that were read lately are kept in memory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: dict[bytes, _TextLine] = {}
        """The line of each text, by its key."""
        self._kept: dict[str, str] = {}
        """The texts in memory, by key."""
        self._kept_chars = 0
        """The characters of these texts together."""
        self.read_bytes = 0
        """Bytes that were read from the file so far."""

    def add(self, key: bytes, text_line: _TextLine) -> None:
        """Record which line has the text of `key`. If a text is stored twice, the first
        counts."""
        self._lines.setdefault(key, text_line)

    def referenced_bytes(self, line: bytes) -> int:
        """Return the total bytes of the texts that a line refers to."""
        total = 0
        for key in referenced_keys(line):
            text_line = self._lines.get(key)
            if text_line is not None:
                total += text_line.size
        return total

    def text_of(self, key: str) -> str:
        """Return the text of `key`, from memory or from the file.

        Raises `KeyError` if the text is missing, and `ValueError` if it does not match
        its key.
        """
        if key in self._kept:
            return self._kept[key]
        text = self._read(key)
        self._kept_chars += len(text)
        if self._kept_chars > MOST_KEPT_CHARS:
            # All texts are dropped together: a prompt uses the same ones again and
            # again, so none of them deserves to stay longer than the others.
            self._kept.clear()
            self._kept_chars = len(text)
        self._kept[key] = text
        return text

    def _read(self, key: str) -> str:
        """Return the text of `key` from the file. Raises as `text_of` does."""
        line = line_at(self._file, self._lines[key.encode()].place)
        self.read_bytes += len(line)
        text = _stored_text(line)
        # The key is a hash of the text as it is in the file. `well_formed` may change
        # it afterwards.
        if key_of(text) != key:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        return well_formed(text)


class _LineHead(NamedTuple):
    """The first fields of a line."""

    at_ms: int
    event_type: bytes
    trial: bytes
    """The trial's id as JSON, with its quotation marks; empty for an event of the run
    as a whole."""
    end: int
    """The index of the first byte after these fields."""


def _head_of(line: bytes) -> _LineHead | None:
    """Return the first fields of a line; None if it does not have the form of a
    journal's line."""
    match = _HEAD.match(line)
    if match is None:
        return None
    at_ms, event_type, trial = match.groups(b"")
    return _LineHead(int(at_ms), event_type, trial, match.end())


def _stored_text(line: bytes) -> str:
    """Return the text in a line of type `text`; empty if the line has another form."""
    head = _head_of(line)
    if head is None:
        return ""
    start = _TEXT.match(line, head.end)
    if start is None:
        return ""
    opening_quote = start.end() - 1
    end = end_of_fields(line.rstrip(b"\n"))
    return str(json.loads(line[opening_quote:end]))


MAX_SHOWN_CANDIDATES: Final = 8
"""Trials that an error message lists if a name fits several."""


class Journal:
    """An open journal: the totals of the part that was read, and its trials, read on
    demand.

    Use `open_journal` to open and read one. Call `read` again to add what a running
    process has written since. `close` closes the file, as does the garbage collector.
    In memory are a few bytes per line of the journal, and the trial that is being read.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal at `path` without reading it. Raises `NotAJournal`."""
        self.path = path
        self.file = open_to_read(path)
        self.close = weakref.finalize(self, self.file.close)
        """Closes the file, after which nothing can be read. A second call does
        nothing."""
        self.texts = StoredTexts(self.file)
        """The long strings of its events. Each is stored in a line of its own."""
        self.summary = RunSummary()
        """Totals of the run."""
        self.versions: list[Versions] = []
        """Versions at the start of the run and at each resumption."""

        # How far the file was read
        self.whole_lines = 0
        """The number of complete lines read so far."""
        self.length = 0
        """Bytes of these lines."""
        self.last_hash = GENESIS
        """The hash of the last of these lines. The next line has to repeat it as
        `prev`."""
        self.is_opened = False
        """True once the `run_opened` event was read. Only stored texts may precede
        it."""
        self.is_torn = False
        """True if an incomplete line follows the complete ones."""
        self.open_steps: OpenSteps = {}
        """The unfinished step of each trial, as far as it was read."""

        # Where the events of each trial are
        self._trials: dict[str, RecordedTrial] = {}
        self.places: dict[bytes, array[int]] = {}
        """For each trial, by its `trial_key`, the byte positions at which the lines of
        its events begin. The key `b""` stands for events of the run as a whole. `texts`
        knows the lines of stored texts."""

        # The line of each event ends with a signature (`mark`), made with the key of
        # the user whose run wrote it.
        self._key = own_key()
        """This user's secret key; None without one."""
        self.first_unsigned_line = 0
        """The number of the first event line that this key has not signed; 0 if there
        is none."""
        self._referenced_bytes = 0
        """Bytes of the texts that the lines refer to, counted once per reference."""
        self._reread_bytes = 0
        """Bytes of the event lines that `events_at` has read."""

    @property
    def read_bytes(self) -> int:
        """Bytes that were read for single trials so far, stored texts included."""
        return self._reread_bytes + self.texts.read_bytes

    def read(self, seconds: float | None = None) -> bool:
        """Read the rest of the file, and add it to the totals. Stop after `seconds`, if
        given.

        Returns True if the time was over before the end of the file, so that more may
        be left to read.

        Raises `NotAJournal` and `JournalDamaged`. Faults inside of events that the
        totals do not need are not found, since those events are not parsed.
        """
        until = None if seconds is None else time.monotonic() + seconds
        for event in self.read_on(for_totals=True):
            self.summary.fold(event)
            if isinstance(event, RunOpened | RunResumed):
                self.versions.append(event.versions)
            if until is not None and time.monotonic() > until:
                return True
        return False

    def read_on(self, *, for_totals: bool = False) -> Iterator[JournalEvent]:
        """Check the unread lines, and yield their events.

        With `for_totals`, yields only the events that the totals need, without texts
        that they do not need.

        Stops at the end of the file, and before an incomplete last line. Yields nothing
        if the journal is still empty. Raises `NotAJournal` and `JournalDamaged`.
        """
        path = self.path
        # `file` is closed at the end of this block. `self.file` stays open, because
        # `file` has a copy (`dup`) of its descriptor.
        with reading_faults(path), os.fdopen(os.dup(self.file.fileno()), "rb") as file:
            file.seek(self.length)
            lines = lines_of(file)
            while True:
                number = self.whole_lines + 1
                try:
                    line = next(lines, b"")
                    if not line.endswith(b"\n"):
                        self.is_torn = bool(line)
                        return
                    if number == 1 and not line.startswith(b'{"prev":"'):
                        msg = f"{path} is not a journal: its first line is not one of a journal"
                        raise NotAJournal(msg)
                    event = self._take_line(line, for_totals=for_totals)
                except (ValueError, KeyError) as error:
                    msg = f"{path} is damaged at line {number}: {fault_of_line(error)}"
                    raise JournalDamaged(msg) from error
                if event is not None:
                    yield event

    def _take_line(self, line: bytes, *, for_totals: bool) -> JournalEvent | None:
        """Check the next line, record where it is, and return its event.

        Returns None for a stored text and, with `for_totals`, for an event that the
        totals do not need. Raises `ValueError` and `KeyError` if the line is damaged.
        """
        # One unsigned line is enough to know that the journal is not this user's own.
        key = None if self.first_unsigned_line else self._key
        line_hash, is_signed = checked_hash(line[:-1], self.last_hash, key)
        head = _head_of(line)
        event = None
        if head is not None and head.event_type == b"text":
            self._take_text(line, head)
        else:
            event = self._take_event(line, head, for_totals=for_totals)
            if not is_signed and not self.first_unsigned_line:
                self.first_unsigned_line = self.whole_lines + 1
        self.last_hash = line_hash
        self.whole_lines += 1
        self.length += len(line)
        return event

    def _take_text(self, line: bytes, head: _LineHead) -> None:
        """Record where a stored text is. Raises `ValueError`."""
        text_head = _TEXT.match(line, head.end)
        if text_head is None:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        self.texts.add(text_head[1], _TextLine(place=self.length, size=len(line)))
        if not self.is_opened and self.length > MAX_BYTES_BEFORE_OPENING:
            msg = "the opening of the run does not come before it"
            raise ValueError(msg)

    def _take_event(
        self, line: bytes, head: _LineHead | None, *, for_totals: bool
    ) -> JournalEvent | None:
        """Parse the line of an event, and record where it is.

        Raises `ValueError` and `KeyError`.
        """
        self._count_references(line)
        if head is None:  # The line is damaged.
            # The parser may raise a more precise error than the one below.
            self._parse(line, b"", for_totals=for_totals)
            msg = "it does not have the form of a journal's line"
            raise ValueError(msg)
        event = self._parse(line, head.event_type, for_totals=for_totals)

        if event is None:
            self.summary.last_ms = max(self.summary.last_ms, head.at_ms)
        elif not self.is_opened:
            _check_version(self.path, event)
            self.is_opened = True
        elif isinstance(event, RunOpened):
            msg = "it opens the run a second time"
            raise ValueError(msg)

        key = head.trial
        if b"\\u" in key:
            # An id may have half of a surrogate pair, which the parser replaces. Make
            # the key from the id after that, as callers do.
            key = trial_key(str(parse_json(key)))
        if isinstance(event, TrialStarted) and event.begins_anew:
            # The trial starts from scratch. Forget the lines of its earlier attempts.
            self.places[key] = array("Q")
        # An array of 64-bit numbers ("Q") takes less memory than a list.
        self.places.setdefault(key, array("Q")).append(self.length)
        return event

    def _parse(
        self, line: bytes, event_type: bytes, *, for_totals: bool
    ) -> JournalEvent | None:
        """Return the event in a line; with `for_totals`, None if the totals do not need
        it.

        `event_type` is empty if it could not be found without parsing the line.
        """
        if not for_totals:
            return event_of(line, self.texts, self.open_steps)
        if event_type and event_type not in COUNTED:
            return None
        # The totals do not use the long texts of these events, such as scripts and
        # replies.
        needs_texts = event_type not in (
            b"step",
            b"model_replied",
            b"submission_judged",
        )
        texts = self.texts if needs_texts else None
        return event_of(line, texts, self.open_steps, with_calls=False)

    def _count_references(self, line: bytes) -> None:
        """Count the bytes of the texts that a line refers to.

        Raises `ValueError` if the lines so far refer to more than those of any run do.
        """
        if REFERENCE_BYTES not in line:
            return
        self._referenced_bytes += self.texts.referenced_bytes(line)
        length = self.length + len(line)
        if (
            self._referenced_bytes
            > FREE_REFERENCED_BYTES + MAX_REFERENCED_PER_BYTE * length
        ):
            msg = (
                "the lines up to it show their texts more often than those of a run do"
            )
            raise ValueError(msg)

    @property
    def is_own(self) -> bool:
        """True if this user's key has signed every event."""
        return self._key is not None and self.is_opened and not self.first_unsigned_line

    @property
    def fault_of_marks(self) -> str:
        """Why the journal does not count as this user's own; empty if it does."""
        if self.is_own:
            return ""
        if self._key is None:
            return "you have no key on this machine that marks journals as yours"
        return f"you did not write its line {self.first_unsigned_line} here"

    @property
    def opened(self) -> RunOpened:
        """The run's first event: its settings, model and versions. Raises `NotAJournal`
        without one."""
        if self.summary.opened is None:
            msg = f"{self.path} is not a journal: it holds no whole line of one"
            raise NotAJournal(msg)
        return self.summary.opened

    @property
    def trials(self) -> Mapping[str, RecordedTrial]:
        """Every trial by its id, in the benchmark's order."""
        if len(self._trials) != len(self.summary.trials):
            self._trials = {
                trial_id: RecordedTrial(self, trial_id)
                for trial_id in list(self.summary.trials)
            }
        return self._trials

    def unfinished_records(self) -> dict[str, TrialRecord]:
        """Return the records of the trials that have begun and not ended, by trial
        id."""
        records: dict[str, TrialRecord] = {}
        for trial in self.trials.values():
            if trial.has_begun and not trial.summary.is_over:
                records[trial.trial_id] = trial.record
        return records

    @property
    def run(self) -> str:
        """The journal's id, which commands accept as RUN."""
        return journal_id(self.path)

    def setting(self, name: str) -> object:
        """Return the value of a setting of the run; None if it is not recorded."""
        return self.opened.setting(name)

    def events_of_run(self) -> Iterator[JournalEvent]:
        """Yield the events about the run as a whole. Raises `JournalDamaged`."""
        yield from self.events_at(b"")

    def events_at(self, key: bytes) -> Iterator[JournalEvent]:
        """Yield the events of the trial with this `trial_key`, if any. Raises
        `JournalDamaged`."""
        open_steps: OpenSteps = {}
        for place in self.places.get(key, ()):
            try:
                line = line_at(self.file, place)
                self._reread_bytes += len(line)
                event = event_of(line, self.texts, open_steps)
            except (ValueError, KeyError) as error:
                msg = f"{self.path} cannot be read at byte {place}: {fault_of_line(error)}"
                raise JournalDamaged(msg) from error
            yield event

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` names.

        `name` is a trial's id or its task's id, or the beginning of one of them if it
        fits only one trial. Raises `UsageError`.
        """
        candidates: list[str] = []
        task_ids: list[str] = []
        for trial_id, trial in self.summary.trials.items():
            if name in (trial_id, trial.task_id):
                return trial_id
            if trial_id.startswith(name) or trial.task_id.startswith(name):
                candidates.append(trial_id)
            task_ids.append(trial.task_id)
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            shown = ", ".join(candidates[:MAX_SHOWN_CANDIDATES])
            msg = f"{name!r} fits several trials: {shown}"
        else:
            msg = f"no trial {name!r} in {self.run}{did_you_mean(name, task_ids)}"
        raise UsageError(msg)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class TrialReader:
    """Builds the record of a trial, with its steps, replies and answer, from its
    events.

    Call `add` with each event in order; `record` is then up to date.
    """

    def __init__(self) -> None:
        self.record = TrialRecord()
        self._side_request: ModelAsked | None = None
        """The latest request to a model that is not the solver's: of the grader, the
        simulated user or the second reader of answers. The next reply in such a role
        answers it."""

    def add(self, event: JournalEvent) -> None:
        """Add an event to the record."""
        record = self.record
        if isinstance(
            event, ModelReplied
        ):  # Every reply costs money, also one to the grader.
            record.paid_replies.append(event)

        match event:
            # The trial
            case TrialStarted():
                self._begin_attempt(event)
            case ConversationOpened():
                record.initial_prompt = event
                record.open_step = TrialStep()
            case TrialFailed():
                self._forget_grades()
            case Noticed() if not event.retry:
                record.notices.append(event.text)
            case AnswerSent() | AnswerDone():
                self._add_answer(event)

            # Requests outside of the solver's conversation
            case ModelAsked() if event.role in ASIDE_ROLES:
                self._side_request = event
            case ModelReplied() if event.role in ASIDE_ROLES:
                if self._side_request is not None:
                    record.side_replies.append(
                        SideReply(self._side_request.texts, event)
                    )

            # The steps of the solver
            case StepDone():
                step = self._open_step(event.step)
                step.end(event)
                record.whole_steps.append(step)
                record.open_step = TrialStep()
            case StepEvent() if event.is_part_of_step:
                self._open_step(event.step).add(event)
            case _:
                pass  # The record does not use this event.

    def _begin_attempt(self, started: TrialStarted) -> None:
        """Continue the record with an attempt at the trial, or start a new record."""
        if started.begins_anew:
            self.record = TrialRecord()
        if (
            self.record.started is None
        ):  # A resumed trial keeps the clock of its first start.
            self.record.started = started
        self.record.open_step.begin_attempt(started)

    def _open_step(self, number: int) -> TrialStep:
        """Return the open step, which is a new one if `number` differs from that of the
        last event."""
        if self.record.open_step.number != number:
            self.record.open_step = TrialStep(number)
        return self.record.open_step

    def _forget_grades(self) -> None:
        """Remove the replies to the grader. After a failure it asks its model again."""
        replies = self.record.side_replies
        self.record.side_replies = [
            side for side in replies if side.replied.role != "grade"
        ]

    def _add_answer(self, event: AnswerSent | AnswerDone) -> None:
        """Record an answer that was sent, and remove it if the environment refused it
        for good."""
        if not event.late:
            self._open_step(event.step).add(event)
        if isinstance(event, AnswerSent):
            self.record.answer = event
        elif event.error is not None:
            code = event.error.code
            # "Already exists" means that an earlier attempt to send the answer
            # succeeded.
            if code != error_codes.ALREADY_EXISTS and not may_yet_succeed(code):
                self.record.answer = None


def record_of(events: Iterable[JournalEvent]) -> TrialRecord:
    """Return the record that a trial's events add up to."""
    reader = TrialReader()
    for event in events:
        reader.add(event)
    return reader.record


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a journal. Each access to its events reads them from the file
    again."""

    journal: Journal
    trial_id: str

    @property
    def summary(self) -> TrialSummary:
        """Its totals: state, score, details, outcome, answer, refs, tokens, cost,
        times, rejections."""
        return self.journal.summary.trials[self.trial_id]

    @property
    def task_id(self) -> str:
        """The id of its task; empty before the start if the benchmark names the task
        only then."""
        return self.summary.task_id

    @property
    def score(self) -> float | None:
        """The grader's score, 0 to 1; None if there is none, or it is sealed (not told
        yet)."""
        return self.summary.score

    @property
    def has_begun(self) -> bool:
        return trial_key(self.trial_id) in self.journal.places

    def events(self) -> Iterator[JournalEvent]:
        """Yield its events in order, complete with stored texts and the parts of steps.

        Raises `JournalDamaged`.
        """
        yield from self.journal.events_at(trial_key(self.trial_id))

    @property
    def record(self) -> TrialRecord:
        """Its start, initial prompt, steps, replies and answer: enough to replay or
        resume the trial.

        Reads the whole trial."""
        return record_of(self.events())

    @property
    def steps(self) -> tuple[StepDone, ...]:
        """Its complete steps, each with reply, code, output, calls, citations,
        verdicts, scratchpad, usage and cost."""
        return tuple(self.record.steps)

    @property
    def initial_prompt(self) -> ConversationOpened | None:
        """Its initial prompt; None if the trial stopped before it."""
        return self.record.initial_prompt


def event_of(
    line: bytes,
    texts: StoredTexts | None,
    open_steps: OpenSteps,
    *,
    with_calls: bool = True,
) -> JournalEvent:
    """Return the event in a line of a journal. Raises `ValueError` and `KeyError`.

    - `texts`: inserted for the references in the line. If it is None, the references
      stay.
    - `open_steps`: each trial's unfinished step. This function adds a call, citation or
      submission to it. The line of the whole step comes last and names these parts by
      number; the parts are taken from `open_steps` and inserted into the event.
    - `with_calls`: if False, only the submissions are inserted.
    """
    fields = fields_of(line)
    # Most lines have no reference, and searching all their values for one would be
    # slow.
    if texts is not None and REFERENCE_BYTES in line:
        fields = resolved(fields, texts.text_of)
    trial_id = str(fields.get("trial_id"))
    if fields.get("type") in ("step", "conversation_opened"):
        finished_step = open_steps.pop(trial_id, TrialStep())
        restore_parts(fields, finished_step, with_calls=with_calls)
    event = JOURNAL_EVENT.validate_python(fields)
    _add_to_open_step(event, trial_id, open_steps)
    return event


def _add_to_open_step(
    event: JournalEvent, trial_id: str, open_steps: OpenSteps
) -> None:
    """Update the trial's unfinished step in `open_steps` if the event belongs to it."""
    if isinstance(event, TrialStarted) and trial_id in open_steps:
        if event.begins_anew:
            del open_steps[trial_id]
        else:
            open_steps[trial_id].begin_attempt(event)
    elif isinstance(event, StepEvent) and event.is_part_of_step:
        step = open_steps.get(trial_id)
        if step is None or step.number != event.step:
            step = TrialStep(event.step)
            open_steps[trial_id] = step
        step.add(event)


def fields_of(line: bytes) -> dict[str, Any]:
    """Return the fields of a line, without its hashes and signature. Raises
    `ValueError`."""
    fields = parse_json(line, most_bytes=bounds.MOST_LINE_BYTES)
    if not isinstance(fields, dict):
        msg = "it is not a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is not a journal's
    del fields["prev"], fields["hash"]
    fields.pop("mark", None)
    return fields


def fault_of_line(error: Exception) -> str:
    """Describe the fault of a line in a few words."""
    if isinstance(error, KeyError):
        return "it refers to a text that no earlier line holds"
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors()[0]
    if fault["type"] == "union_tag_invalid":
        return f"there is no event {fault['ctx']['tag']!r}; is it of a newer version?"
    where = f"{fault['loc'][-1]}: " if fault["loc"] else ""
    return f"{where}{fault['msg']}"


def _check_version(path: Path, event: JournalEvent) -> None:
    if not isinstance(event, RunOpened):
        msg = f"{path} is not a journal: it does not begin with the opening of a run"
        raise NotAJournal(msg)
    if event.schema_version != SCHEMA_VERSION:
        msg = (
            f"{path} is a journal of schema version {event.schema_version}; "
            f"this version of the control plane reads version {SCHEMA_VERSION} alone"
        )
        raise NotAJournal(msg)


def trial_key(trial_id: str) -> bytes:
    """Return the key of a trial in `Journal.places`."""
    return json.dumps(trial_id).encode()


def open_journal(path: Path) -> Journal:
    """Return the journal at `path`, checked and read to its end.

    Raises `NotAJournal` and `JournalDamaged`.
    """
    journal = Journal(path)
    journal.read()
    journal.opened  # noqa: B018 - raises for a file without a complete line
    return journal


def glance_at(path: Path) -> RunSummary:
    """Return the totals of the journal at `path`. Raises `NotAJournal` and
    `JournalDamaged`."""
    return open_journal(path).summary


def summary_of(path: Path) -> RunSummary:
    """Return the totals of a journal; empty ones if it does not exist or is not a
    journal yet."""
    if not path.exists():
        return RunSummary()
    try:
        return glance_at(path)
    except NotAJournal:
        return RunSummary()


def name_in(path: Path) -> str:
    """Return the name of a journal's run; empty if the run has none, or the file is not
    a journal.

    Reads the first event only.
    """
    with suppress(ControlPlaneError):
        for event in Journal(path).read_on():
            return event.name if isinstance(event, RunOpened) else ""
    return ""


def ends_with_mark(path: Path) -> bool:
    """Return True if a journal's chain of hashes is intact and its last line has this
    user's mark.

    The mark is a signature with the user's key. Without a key, nothing tells this
    user's journals from others, and the result is True for every readable file.
    """
    key = own_key()
    with suppress(ControlPlaneError, ValueError), open_to_read(path) as file:
        return key is None or _last_line_is_signed(file, key)
    return False


def _last_line_is_signed(file: BinaryIO, key: bytes) -> bool:
    """Return True if `key` signed the last complete line.

    Raises `ValueError` if the chain of hashes is broken. The whole chain is checked,
    because a signed line may be a copy from another journal.
    """
    previous = GENESIS
    is_signed = False
    for line in lines_of(file):
        if line.endswith(b"\n"):
            previous, is_signed = checked_hash(line[:-1], previous, key)
    return is_signed
