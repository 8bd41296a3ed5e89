"""The one reader of journals: it checks the chain, sums up, and reads each trial on demand.

with open_journal(Path("runs/x.jsonl")) as journal:
    for trial in journal.trials.values():
        print(trial.task_id, trial.score, [step.state for step in trial.steps])

A journal is read once, line by line, and read on as it grows. Only the events that totals need are parsed then; memory
grows with the number of lines, not with their bytes. One torn last line is accepted; any other misfit is damage. Every
bound holds, whoever wrote the journal.
"""

from __future__ import annotations

import json
import os
import time
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from controlplane.journal.journal_files import journal_id, lines_of, open_to_read, reading_faults
from controlplane.journal.journal_lines import (
    GENESIS,
    REFERENCE,
    REFERENCES,
    checked_hash,
    end_of_fields,
    join,
    key_of,
    own_key,
    resolved,
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

COUNTED: Final = frozenset(type_of(kind).encode() for kind in event_classes() if kind.is_counted)
"""The event types that totals need."""
REFERENCE_BYTES: Final = f'"{REFERENCE}'.encode()
"""Bytes that every line with a reference to a text holds."""

# A line begins with the same fields in the same order, so that they are found without parsing JSON:
# {"prev":"0a1b…","at_ms":1764300000000,"type":"call","trial_id":"t-1",…}
# {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…"…}
_HEAD: Final = re2.compile(
    rb'\{"prev":"[0-9a-f]{32}","at_ms":(\d{1,15}),"type":"([a-z_]+)"'
    rb'(?:,"trial_id":("[^"\\]*(?:\\.[^"\\]*)*"))?'
)
"""The beginning of every line, with the time, the type and, if there is one, the trial's id."""
_TEXT: Final = re2.compile(rb',"key":"([0-9a-f]{32})","text":"')
"""What follows the type in the line of a stored text, up to the text itself; with the text's key."""

MOST_KEPT_CHARS: Final = 1_000_000
"""Characters of stored texts that are kept because later lines may refer to them again: enough for
the documents of one prompt, which every trial repeats."""
MAX_BYTES_BEFORE_OPENING: Final = 4 << 20
"""Bytes of stored texts that may precede the opening of the run, which refers to them."""
MAX_TIMES_SHOWN: Final = 24
"""Bytes of texts that a journal's lines may show by references, for each byte of the journal. A run needs fewer: it
stores a text again after `MOST_REFERENCES`."""
FREE_SHOWN_BYTES: Final = 16 << 20
"""Bytes of texts that a journal may show in addition, for the sake of short ones."""

OpenSteps: TypeAlias = dict[str, TrialStep]
"""The recorded parts (calls, citations, submissions) of each trial's unfinished step, by trial id."""

ParseLine: TypeAlias = Callable[[bytes, bytes], JournalEvent | None]
"""Returns the event in a line, given the line and the type of its event; None for an event that is left out."""

FIRST_READ_BYTES: Final = 2_048
"""Bytes that are read of a line at first. Most lines have fewer."""


def line_at(file: BinaryIO, place: int) -> bytes:
    """Return the line that begins at byte `place` of a journal. Raises `ValueError` if the file is closed."""
    data = b""
    size = FIRST_READ_BYTES
    while b"\n" not in data:
        more = os.pread(file.fileno(), size, place + len(data))
        if not more:
            return data  # The last line is torn.
        data += more
        size *= 4
    line, end, _ = data.partition(b"\n")
    return line + end


class _TextLine(NamedTuple):
    """Where in the journal the line of a stored text is."""

    place: int
    """Its first byte."""
    size: int
    """Its length in bytes."""


class StoredTexts(dict[str, str]):
    """The texts of a journal by key.

    As a dict it holds the texts that were read lately; looking up another one reads it from the file. At most
    `MOST_KEPT_CHARS` are kept, besides the text that was read last.

    A lookup raises `KeyError` if the text is missing, and `ValueError` if it does not match its key.
    """

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self._lines: dict[bytes, _TextLine] = {}
        """The line of each text, by its key."""
        self._kept_chars = 0
        self.read_bytes = 0
        """Bytes of all lines that lookups have read from the file."""

    def place(self, key: bytes, place: int, size: int) -> None:
        """Note that the text of `key` is in the line of `size` bytes at byte `place`."""
        self._lines.setdefault(key, _TextLine(place, size))

    def shown_bytes(self, line: bytes) -> int:
        """Return the total bytes of the texts that a line refers to."""
        total = 0
        for key in REFERENCES.findall(line):
            text_line = self._lines.get(key)
            if text_line is not None:
                total += text_line.size
        return total

    def __missing__(self, key: str) -> str:
        """Read a text that is not kept, and keep it: `dict` calls this for a key that it does not have."""
        line = line_at(self._file, self._lines[key.encode()].place)
        self.read_bytes += len(line)
        text = _stored_text(line)
        # The key was computed before halves of surrogate pairs were replaced.
        if key_of(text) != key:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        text = well_formed(text)
        self._kept_chars += len(text)
        if self._kept_chars > MOST_KEPT_CHARS:
            self.clear()  # Later lines repeat the texts of a prompt together, so none is worth more.
            self._kept_chars = len(text)
        self[key] = text
        return text


class _LineHead(NamedTuple):
    """The first fields of a line."""

    at_ms: int
    event_type: bytes
    trial: bytes
    """The trial's id as JSON, with its quotation marks; empty for an event of the run as a whole."""
    end: int
    """The place in the line after these fields."""


def _head_of(line: bytes) -> _LineHead | None:
    """Return the first fields of a line; None if it does not have the form of a journal's line."""
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
"""Trials that a message names if a name fits several."""


class Journal:
    """A journal as far as it was read: its totals, and its trials, which are read on demand until it is closed.

    The file closes with the object, or when it is collected. Memory grows by some bytes per line of the journal, and by
    the trial that is being read.
    """

    def __init__(self, path: Path) -> None:
        """Open the journal at `path` and read nothing yet. Raises `NotAJournal`."""
        self.path = path
        self.file = open_to_read(path)
        self.close = weakref.finalize(self, self.file.close)
        """Closes the file; nothing more can be read. Closing twice does nothing."""
        self.texts = StoredTexts(self.file)
        """The long strings of its events, each of which has a line of its own."""
        self.summary = RunSummary()
        """Totals of the run."""
        self.versions: list[Versions] = []
        """Versions at the start of the run and at each resumption."""

        # How far it was read.
        self.whole_lines = 0
        """Lines that were read and have their end."""
        self.length = 0
        """Bytes of the whole lines."""
        self.last_hash = GENESIS
        """The hash of the last whole line, with which the next one has to begin."""
        self.is_opened = False
        """The run's opening was read; only texts that the opening refers to precede it."""
        self.is_torn = False
        """A partial line follows the whole lines."""
        self.open_steps: OpenSteps = {}
        """What the lines so far hold of steps that are not whole yet."""

        # Where the events of each trial are.
        self._trials: dict[str, RecordedTrial] = {}
        self.places: dict[bytes, array[int]] = {}
        """For each trial, by its `trial_key`, the first bytes of the lines of its events; `b""` stands for the run
        as a whole. Lines of stored texts are in `texts` instead."""

        self._key = own_key()
        """The key that marks lines as this user's; None if the user has no key."""
        self.unmarked_line = 0
        """The number of the first line of an event without this user's mark; 0 if there is none."""
        self._shown_bytes = 0
        """Bytes of the texts that the lines refer to, each counted as often as it is referred to."""
        self._event_bytes = 0
        """Bytes of the lines that were read again for single trials."""

    @property
    def read_bytes(self) -> int:
        """Bytes of the lines that were read for single trials so far, with their texts."""
        return self._event_bytes + self.texts.read_bytes

    def read(self, seconds: float | None = None) -> bool:
        """Read on and sum up everything that a list of the trials shows, for at most so many seconds.

        Returns True if the time was over before the end of the file, so that there may be more to read.

        Raises `NotAJournal` and `JournalDamaged` as reading every event does, except for faults in unparsed events.
        """
        until = None if seconds is None else time.monotonic() + seconds
        for event in self.read_on(self._parse_counted):
            self.summary.fold(event)
            if isinstance(event, RunOpened | RunResumed):
                self.versions.append(event.versions)
            if until is not None and time.monotonic() > until:
                return True
        return False

    def read_on(self, parse: ParseLine | None = None) -> Iterator[JournalEvent]:
        """Check the lines that were not read yet, and yield the events that `parse` returns; by default all events.

        The journal may still be empty; a last line without its end is torn, or still being written.
        Raises `NotAJournal` and `JournalDamaged`.
        """
        path = self.path
        parse = parse or self._parse_every
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
                    event = self._take_line(line, parse)
                except (ValueError, KeyError) as error:
                    msg = f"{path} is damaged at line {number}: {fault_text(error)}"
                    raise JournalDamaged(msg) from error
                if event is not None:
                    yield event

    def _parse_every(self, line: bytes, event_type: bytes) -> JournalEvent:
        """Return the event in a line with its texts."""
        del event_type
        return event_of(line, self.texts, self.open_steps)

    def _parse_counted(self, line: bytes, event_type: bytes) -> JournalEvent | None:
        """Return the event in a line if totals need it; texts that totals do not need are left out."""
        if event_type and event_type not in COUNTED:
            return None
        # The texts of these are long, such as scripts and replies, and totals use none of them.
        needs_texts = event_type not in (b"step", b"model_replied", b"submission_judged")
        texts = self.texts if needs_texts else None
        return event_of(line, texts, self.open_steps, calls=False)

    def _take_line(self, line: bytes, parse: ParseLine) -> JournalEvent | None:
        """Check the line after the last whole one and note where it is; return the event that `parse` returns.

        Raises `ValueError` and `KeyError` if the line is damaged.
        """
        # After the first line without a mark, marks say nothing more.
        key = None if self.unmarked_line else self._key
        line_hash, is_marked = checked_hash(line[:-1], self.last_hash, key)
        head = _head_of(line)
        event = None
        if head is not None and head.event_type == b"text":
            self._take_text(line, head)
        else:
            event = self._take_event(line, head, parse)
            if not is_marked and not self.unmarked_line:
                self.unmarked_line = self.whole_lines + 1
        self.last_hash = line_hash
        self.whole_lines += 1
        self.length += len(line)
        return event

    def _take_text(self, line: bytes, head: _LineHead) -> None:
        """Note where a stored text is. Raises `ValueError`."""
        text_head = _TEXT.match(line, head.end)
        if text_head is None:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        self.texts.place(text_head[1], self.length, len(line))
        if not self.is_opened and self.length > MAX_BYTES_BEFORE_OPENING:
            msg = "the opening of the run does not come before it"
            raise ValueError(msg)

    def _take_event(
        self, line: bytes, head: _LineHead | None, parse: ParseLine
    ) -> JournalEvent | None:
        """Parse the line of an event, and note where it is. Raises `ValueError` and `KeyError`."""
        self._count_shown_bytes(line)
        # A line without the form of one is parsed, too, because parsing it may say what is wrong.
        event = parse(line, b"" if head is None else head.event_type)
        if head is None:
            msg = "it does not have the form of a journal's line"
            raise ValueError(msg)

        if event is None:
            self.summary.last_ms = max(self.summary.last_ms, head.at_ms)
        elif not self.is_opened:
            _check_version(self.path, event)
            self.is_opened = True
        elif head.event_type == b"run_opened":
            msg = "it opens the run a second time"
            raise ValueError(msg)

        key = head.trial
        if b"\\u" in key:  # may be half a surrogate pair, which no event keeps
            key = trial_key(str(parse_json(key)))
        if isinstance(event, TrialStarted) and event.begins_anew:
            self.places[key] = array("Q")  # Only the totals keep the attempts before.
        self.places.setdefault(key, array("Q")).append(self.length)
        return event

    def _count_shown_bytes(self, line: bytes) -> None:
        """Raise `ValueError` if the lines so far show their texts more often than the lines of a run do.

        Otherwise a small journal of somebody else could fill memory and pages with a large text.
        """
        if REFERENCE_BYTES not in line:
            return
        self._shown_bytes += self.texts.shown_bytes(line)
        length = self.length + len(line)
        if self._shown_bytes > FREE_SHOWN_BYTES + MAX_TIMES_SHOWN * length:
            msg = "the lines up to it show their texts more often than those of a run do"
            raise ValueError(msg)

    @property
    def is_own(self) -> bool:
        """True if every event has the mark of this user."""
        return self._key is not None and self.is_opened and not self.unmarked_line

    @property
    def fault_of_marks(self) -> str:
        """The reason why the journal is not this user's own, in words; empty if it is."""
        if self.is_own:
            return ""
        if self._key is None:
            return "you have no key on this machine that marks journals as yours"
        return f"you did not write its line {self.unmarked_line} here"

    @property
    def opened(self) -> RunOpened:
        """The run's first event: configuration, model, versions. Raises `NotAJournal` while there is none."""
        if self.summary.opened is None:
            msg = f"{self.path} is not a journal: it holds no whole line of one"
            raise NotAJournal(msg)
        return self.summary.opened

    @property
    def trials(self) -> Mapping[str, RecordedTrial]:
        """Every trial by its id, in the order in which the benchmark allotted them."""
        if len(self._trials) != len(self.summary.trials):
            self._trials = {
                trial_id: RecordedTrial(self, trial_id) for trial_id in list(self.summary.trials)
            }
        return self._trials

    def unfinished_records(self) -> dict[str, TrialRecord]:
        """Return the records of the trials that have begun and are not over, by trial id."""
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
        """Yield the events of a trial by its `trial_key`; none if nothing happened in it. Raises `JournalDamaged`."""
        open_steps: OpenSteps = {}
        for place in self.places.get(key, ()):
            try:
                line = line_at(self.file, place)
                self._event_bytes += len(line)
                event = event_of(line, self.texts, open_steps)
            except (ValueError, KeyError) as error:
                msg = f"{self.path} cannot be read at byte {place}: {fault_text(error)}"
                raise JournalDamaged(msg) from error
            yield event

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` means.

        A name is the id of a trial or of its task, or the beginning of either if no other trial has
        it. Raises `UsageError`.
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
        msg = f"no trial {name!r} in {self.run}{did_you_mean(name, task_ids)}"
        if candidates:
            shown = ", ".join(candidates[:MAX_SHOWN_CANDIDATES])
            msg = f"{name!r} fits several trials: {shown}"
        raise UsageError(msg)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


class TrialReader:
    """Gathers the record of a trial from its events, one after another."""

    def __init__(self) -> None:
        self.record = TrialRecord()
        self._side_request: ModelAsked | None = None
        """The latest request of a model outside of the solver's conversation: by the benchmark's grader or simulated
        user, or by the second reader of answers. The next reply in such a role answers it."""

    def add(self, event: JournalEvent) -> None:
        """Take an event into account."""
        if isinstance(event, TrialStarted) and event.begins_anew:
            self.record = TrialRecord()
        if isinstance(event, ModelReplied):  # Every reply was paid for, whoever asked.
            self.record.paid_replies.append(event)

        record = self.record
        match event:
            case TrialStarted():
                if record.started is None:  # A later start keeps the clock of the first.
                    record.started = event
                record.open_step.begin_attempt(event)
            case ConversationOpened():
                record.initial_prompt = event
                record.open_step = TrialStep()
            case ModelAsked() if event.role in ASIDE_ROLES:
                self._side_request = event
            case ModelReplied() if event.role in ASIDE_ROLES:
                if self._side_request is not None:
                    record.side_replies.append(SideReply(self._side_request.texts, event))
            case TrialFailed():
                self._forget_grades()
            case Noticed() if not event.retry:
                record.notices.append(event.text)
            case StepDone():
                step = self._open_step(event.step)
                step.end(event)
                record.whole_steps.append(step)
                record.open_step = TrialStep()
            case AnswerSent() | AnswerDone():
                self._add_answer(event)
            case StepEvent() if event.is_part_of_step:
                self._open_step(event.step).add(event)
            case _:
                pass  # The record needs nothing of it.

    def _open_step(self, number: int) -> TrialStep:
        """Return the step that is under way, begun anew if it is another one."""
        if self.record.open_step.number != number:
            self.record.open_step = TrialStep(number)
        return self.record.open_step

    def _forget_grades(self) -> None:
        """Remove the replies to the grader: after a failure it asks its model again."""
        replies = self.record.side_replies
        self.record.side_replies = [side for side in replies if side.replied.role != "grade"]

    def _add_answer(self, event: AnswerSent | AnswerDone) -> None:
        """Note that an answer was sent, or what became of it: one that was refused for good is no answer."""
        if not event.late:
            self._open_step(event.step).add(event)
        if isinstance(event, AnswerSent):
            self.record.answer = event
        elif event.error is not None:
            code = event.error.code
            # "Already exists" means that the environment has the answer, by an earlier try to send it.
            if code != error_codes.ALREADY_EXISTS and not may_yet_succeed(code):
                self.record.answer = None


def record_of(events: Iterable[JournalEvent]) -> TrialRecord:
    """Return the record of a trial's events."""
    reader = TrialReader()
    for event in events:
        reader.add(event)
    return reader.record


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a journal. Its events are read again on every access and not kept."""

    journal: Journal
    trial_id: str

    @property
    def summary(self) -> TrialSummary:
        """Its totals: state, score, details, outcome, answer, refs, tokens, cost, times, rejections."""
        return self.journal.summary.trials[self.trial_id]

    @property
    def task_id(self) -> str:
        """The task it is an instance of; empty if the task is known only once the trial starts."""
        return self.summary.task_id

    @property
    def score(self) -> float | None:
        """The grader's score, 0 to 1; None while it is sealed or missing, never 0 then."""
        return self.summary.score

    @property
    def has_begun(self) -> bool:
        return trial_key(self.trial_id) in self.journal.places

    def events(self) -> Iterator[JournalEvent]:
        """Yield its events in order, stored texts and numbered parts of steps inserted. Raises `JournalDamaged`."""
        yield from self.journal.events_at(trial_key(self.trial_id))

    @property
    def record(self) -> TrialRecord:
        """Its start, the initial prompt, steps, replies and answer: enough to replay or resume it. Reads the whole
        trial."""
        return record_of(self.events())

    @property
    def steps(self) -> tuple[StepDone, ...]:
        """Its complete steps, each with reply, code, output, calls, citations, verdicts, scratchpad, usage and cost."""
        return tuple(self.record.steps)

    @property
    def initial_prompt(self) -> ConversationOpened | None:
        """Its initial prompt; None if the trial did not get that far."""
        return self.record.initial_prompt


def event_of(
    line: bytes, texts: Mapping[str, str] | None, open_steps: OpenSteps, *, calls: bool = True
) -> JournalEvent:
    """Return the event in a line of a journal. Raises `ValueError` and `KeyError`.

    - `texts` replace the line's references to stored texts; None leaves the references as they are.
    - `open_steps` gathers the parts of steps. The line of a step names its calls, citations and submissions by
      number, since each of them has a line of its own before it. This function adds those lines to `open_steps`, and
      inserts them in the event when the line of their step comes; without `calls`, only the verdicts of submissions.
    """
    fields = fields_of(line)
    # Most lines have no reference, and resolving their values would be slow.
    if texts is not None and REFERENCE_BYTES in line:
        fields = resolved(fields, texts)
    trial_id = str(fields.get("trial_id"))
    if fields.get("type") in ("step", "conversation_opened"):
        finished_step = open_steps.pop(trial_id, TrialStep())
        join(fields, finished_step, calls=calls)
    event = JOURNAL_EVENT.validate_python(fields)
    _note_for_step(event, trial_id, open_steps)
    return event


def _note_for_step(event: JournalEvent, trial_id: str, open_steps: OpenSteps) -> None:
    """Add to `open_steps` what an event changes in the trial's unfinished step, if it changes anything."""
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
    """Return the fields of a line without those of the chain. Raises `ValueError`."""
    fields = parse_json(line, most_bytes=bounds.MOST_LINE_BYTES)
    if not isinstance(fields, dict):
        msg = "it is not a JSON object"
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is not a journal's
    del fields["prev"], fields["hash"]
    fields.pop("mark", None)
    return fields


def fault_text(error: Exception) -> str:
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
    """Check the journal at `path`, sum it up, and return it. Raises `NotAJournal` and `JournalDamaged`."""
    journal = Journal(path)
    journal.read()
    journal.opened  # noqa: B018 - raises for a file without a whole line
    return journal


def glance_at(path: Path) -> RunSummary:
    """Return the totals of the journal at `path`; never what a trial is doing. Raises `NotAJournal` and
    `JournalDamaged`."""
    return open_journal(path).summary


def summary_of(path: Path) -> RunSummary:
    """Return the totals of a journal; empty if it does not exist, or was cut off before its first line was whole."""
    if not path.exists():
        return RunSummary()
    try:
        return glance_at(path)
    except NotAJournal:
        return RunSummary()


def name_in(path: Path) -> str:
    """Return the name of a journal's run; empty without a name, or if the file is not a journal.

    Nothing after the first event is read.
    """
    with suppress(ControlPlaneError):
        for event in Journal(path).read_on():
            return event.name if isinstance(event, RunOpened) else ""
    return ""


def ends_with_mark(path: Path) -> bool:
    """Return True if the chain of a journal holds and its last whole line has this user's mark.

    The whole chain is checked, because a marked line may have been copied from another journal. For a
    user without a key this is True for every file that can be read.
    """
    key = own_key()
    previous = GENESIS
    is_marked = False
    with suppress(ControlPlaneError, ValueError), open_to_read(path) as file:
        if key is None:
            return True
        for line in lines_of(file):
            if line.endswith(b"\n"):
                previous, is_marked = checked_hash(line[:-1], previous, key)
        return is_marked
    return False
