"""Reads a journal and checks its chain. One torn last line is accepted; anything else that does not fit is damage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from pydantic import ValidationError

from agent.evidence import StepRecord
from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_file import open_unpacked, reading_faults
from controlplane.journal.journal_lines import (
    GENESIS,
    PARTS_OF_STEPS,
    REFERENCE,
    hash_of,
    is_torn,
    join,
    key_of,
    resolved,
)
from controlplane.journal.run_events import JOURNAL_EVENT, READABLE_VERSIONS, JournalEvent, RunOpened, TextStored

REFERENCE_BYTES: Final = f'"{REFERENCE}'.encode()
"""A line without these bytes refers to no text."""


@dataclass(slots=True)
class Chain:
    """Where reading stands: how far the file is whole, and the texts it holds."""

    lines: int = 0
    """Whole lines."""
    length: int = 0
    """Their bytes."""
    last_hash: str = GENESIS
    texts: dict[str, str] = field(default_factory=dict)
    is_opened: bool = False
    """The run's opening was read; only texts that it refers to come before it."""
    torn: bool = False
    """The beginning of one more line follows the whole ones."""
    open_steps: dict[str, StepRecord] = field(default_factory=dict)
    """By trial, what is known of the step that is not done."""


def read_events(path: Path, chain: Chain | None = None, *, is_growing: bool = False) -> Iterator[JournalEvent]:
    """Yield a journal's events behind `chain` in order, texts resolved, and extend `chain`.

    A journal that `is_growing` may still be empty, or lack the end of its last line. Raises `NotAJournal` if the first
    line is not one of a journal, and `JournalDamaged` for what breaks the chain.
    """
    chain = chain or Chain()
    with open_unpacked(path) as file:
        yield from events_in(file, path, chain, _parsed, is_growing=is_growing)
    if not (chain.is_opened or is_growing):
        msg = f"{path} is no journal: it holds no whole line of one"
        raise NotAJournal(msg)


def events_in(
    file: BinaryIO,
    path: Path,
    chain: Chain,
    parse: Callable[[bytes, Chain], JournalEvent | None],
    *,
    is_growing: bool = False,
) -> Iterator[JournalEvent]:
    """Check the lines behind `chain` and extend it; yield the events that `parse` returns, stored texts left out.

    A last line without its end is torn, or, in a journal that `is_growing`, not written yet.
    """
    with reading_faults(path):
        file.seek(chain.length)
        for line in file:
            if not line.endswith(b"\n") and (is_growing or is_torn(line, chain.last_hash)):
                chain.torn = not is_growing
                return
            event = _checked(path, line, chain, parse)
            if event is not None and not isinstance(event, TextStored):
                yield event


def _checked(
    path: Path, line: bytes, chain: Chain, parse: Callable[[bytes, Chain], JournalEvent | None]
) -> JournalEvent | None:
    number = chain.lines + 1
    if number == 1 and not line.startswith(b'{"prev":"'):
        msg = f"{path} is no journal: its first line is not one of a journal"
        raise NotAJournal(msg)
    try:
        if not line.endswith(b"\n"):
            msg = "it is cut off, and is not the beginning of a line either"
            raise ValueError(msg)
        own = hash_of(line[:-1], chain.last_hash)
        event = parse(line, chain)
    except (ValueError, KeyError) as error:
        msg = f"{path} is damaged at line {number}: {fault_text(error)}"
        raise JournalDamaged(msg) from error
    if not chain.is_opened and event is not None and not isinstance(event, TextStored):
        _check_version(path, event)
        chain.is_opened = True
    chain.last_hash = own
    chain.lines = number
    chain.length += len(line)
    return event


def fault_text(error: Exception) -> str:
    """Return what is wrong with a line, in a few words."""
    if isinstance(error, KeyError):
        return "it refers to a text that no line before it holds"
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors()[0]
    if fault["type"] == "union_tag_invalid":
        return f"there is no event {fault['ctx']['tag']!r}; is it of a newer version?"
    where = f"{fault['loc'][-1]}: " if fault["loc"] else ""
    return f"{where}{fault['msg']}"


def fields_of(line: bytes) -> dict[str, Any]:
    """Return the fields of a line without those of the chain."""
    fields = json.loads(line.decode("utf-8", "surrogatepass"))  # bytes would be searched for their encoding
    if not isinstance(fields, dict):
        msg = "it is no JSON object"
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is none of a journal
    del fields["prev"], fields["hash"]
    return fields


def _parsed(line: bytes, chain: Chain) -> JournalEvent | None:
    fields = fields_of(line)
    if fields.get("type") == "text":
        stored = JOURNAL_EVENT.validate_python(fields)
        if not isinstance(stored, TextStored) or key_of(stored.text) != stored.key:
            msg = "a stored text does not match its key"
            raise ValueError(msg)
        chain.texts[stored.key] = stored.text
        return stored
    # Most lines refer to no text, and resolving their values would be slow.
    whole = resolved(fields, chain.texts) if REFERENCE_BYTES in line else fields
    return joined_event(whole, chain)


def joined_event(fields: dict[str, Any], chain: Chain, *, calls: bool = True) -> JournalEvent:
    """Return the event of a line, with what it holds by number put into place; without `calls` the verdicts alone."""
    kind, trial_id = fields.get("type"), str(fields.get("trial_id"))
    if kind in ("step", "conversation_opened"):
        join(fields, chain.open_steps.pop(trial_id, StepRecord()), calls=calls)
    event = JOURNAL_EVENT.validate_python(fields)
    if kind in PARTS_OF_STEPS:
        chain.open_steps.setdefault(trial_id, StepRecord()).take(event)
    return event


def _check_version(path: Path, event: JournalEvent) -> None:
    if not isinstance(event, RunOpened):
        msg = f"{path} is no journal: it does not begin with the opening of a run"
        raise NotAJournal(msg)
    if event.schema_version not in READABLE_VERSIONS:
        known = " and ".join(str(version) for version in READABLE_VERSIONS)
        msg = f"{path} has schema version {event.schema_version}; this version reads {known}"
        raise NotAJournal(msg)
