"""The lines of a journal: JSON, each with the hash of the line before and of its own other bytes.

A string of `LONG` characters or more is stored once, as a `text` event of its own; `@text:` and its key refer to it. A
string that itself begins so is stored the same way, so that a reference is never mistaken. A step names its calls,
citations and submissions by number, because each has a line of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic_core import PydanticSerializationError, from_json, to_json

from agent.events import BY_NUMBER, JOINED, ConversationOpened, Event, StepDone
from agent.evidence import StepRecord
from controlplane.journal.run_events import JournalEvent

LONG: Final = 200
REFERENCE: Final = "@text:"
GENESIS: Final = "0" * 32
"""The first line's hash of the line before."""

_ATOMS: Final = frozenset({int, float, bool, type(None)})
_TAIL: Final = re.compile(rb',"hash":"([0-9a-f]{32})"\}\Z')
TAIL_BYTES: Final = len(',"hash":""}') + 32
_HEAD: Final = re.compile(rb'\{"prev":"([0-9a-f]{32})",')
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*"?')
SURROGATE: Final = re.compile(rb"\\ud[89a-f]")


def key_of(text: str) -> str:
    """Return the key under which `text` is stored."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def encoded(value: Any, intern: Callable[[str], str]) -> object:
    """Return `value`, models and tuples included, as what `json` writes, long strings replaced by `intern`'s answer."""
    kind = type(value)  # quicker than `isinstance`
    if kind is not dict:
        if kind is str:
            return intern(value) if len(value) >= LONG or value.startswith(REFERENCE) else value
        if kind is list or kind is tuple:
            return [each if type(each) in _ATOMS else encoded(each, intern) for each in value]
        if kind in _ATOMS:
            return value
        if isinstance(value, str):
            return encoded(str(value), intern)
        # Only models are left; asking for their type would be slow.
        value = value.__dict__
    # Most values are short strings and atoms, which are let through here without another call.
    return {
        name: each
        if (type(each) is str and len(each) < LONG and each[:1] != "@") or type(each) in _ATOMS
        else encoded(each, intern)
        for name, each in value.items()
    }


def resolved(value: Any, texts: Mapping[str, str]) -> Any:
    """Return `value` with references replaced by the texts they name. Raises `KeyError` for one that is not there."""
    if isinstance(value, str):
        return texts[value.removeprefix(REFERENCE)] if value.startswith(REFERENCE) else value
    if isinstance(value, dict):
        # Most values are atoms and plain strings, which are let through here without another call.
        return {
            name: each if type(each) in _ATOMS or (type(each) is str and each[:1] != "@") else resolved(each, texts)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [each if type(each) in _ATOMS else resolved(each, texts) for each in value]
    return value


def line_of(fields: bytes, previous: str) -> tuple[bytes, str]:
    """Return the line, newline included, for an event's fields as a JSON object, and the line's own hash."""
    body = b'{"prev":"%b",%b' % (previous.encode(), fields[1:-1])
    own = hashlib.sha256(body).hexdigest()[:32]
    return b'%b,"hash":"%b"}\n' % (body, own.encode()), own


def json_of(fields: object) -> bytes:
    """Return encoded fields as JSON in ASCII, without spaces."""
    try:
        return to_json(fields, ensure_ascii=True)  # in a quarter of the time that `json` takes
    except PydanticSerializationError:  # a lone surrogate, as a script may print it
        return json.dumps(fields, separators=(",", ":")).encode()


def hash_of(line: bytes, previous: str) -> str:
    """Return the hash that `line` (without its newline) carries. Raises `ValueError` if the chain is broken."""
    body = memoryview(line)[:-TAIL_BYTES]
    own = hashlib.sha256(body).hexdigest()[:32]
    if line.startswith(f'{{"prev":"{previous}",'.encode()) and line.endswith(f',"hash":"{own}"}}'.encode()):
        return own
    raise ValueError(_fault_in(line, previous))


def _fault_in(line: bytes, previous: str) -> str:
    """Return what is wrong with a line that breaks the chain."""
    head = _HEAD.match(line)
    if head is None or _TAIL.search(line) is None:
        return "it does not have the form of a journal's line"
    if head[1].decode() != previous:
        return "it does not follow the line before it"
    return "its bytes do not match its hash"


def is_torn(rest: bytes, previous: str) -> bool:
    """Say whether bytes behind the last newline can be the beginning of the line that was being written: JSON in ASCII,
    without spaces."""
    start = f'{{"prev":"{previous}",'.encode()
    if start.startswith(rest):
        return True
    if not rest.startswith(start) or not rest.isascii() or re.search(rb"\s", _STRING.sub(b"", rest)):
        return False
    text = SURROGATE.sub(rb"\\u00", rest)  # this reader takes no lone surrogates
    try:
        from_json(text)
    except ValueError as error:
        if not str(error).startswith("EOF while parsing"):
            return False
        if "hash" not in from_json(text, allow_partial="trailing-strings"):
            return True
    # What is there of its hash, up to a whole line that lacks only its newline, has to be the hash of these fields.
    fields = rest.rpartition(b',"hash"')[0]
    return (fields + _tail_of(fields)).startswith(rest)


def _tail_of(body: bytes) -> bytes:
    return b',"hash":"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"}'


PARTS_OF_STEPS: Final = frozenset(
    {"call_sent", "call_done", "exit_call_sent", "exit_call_done", "citation", "model_replied", "submission_judged"}
)
"""The types of the events that a step holds by number, or that tell its reply."""


def _marked(kind: type[Event], mark: str) -> tuple[str, ...]:
    return tuple(name for name, field in kind.model_fields.items() if mark in field.metadata)


_BY_NUMBER: Final = {kind: _marked(kind, BY_NUMBER) for kind in (ConversationOpened, StepDone)}
_JOINED: Final = {kind: _marked(kind, JOINED) for kind in _BY_NUMBER}


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as its line holds them."""
    kind = type(event)
    if kind not in _BY_NUMBER:
        return event.__dict__
    fields = {name: value for name, value in event.__dict__.items() if name not in _JOINED[kind]}
    return fields | {name: list(range(len(fields[name]))) for name in _BY_NUMBER[kind]}


def join(fields: dict[str, Any], step: StepRecord, *, calls: bool = True) -> None:
    """Put what `step` holds into the place of its numbers, without `calls` the verdicts and replies alone.

    Older journals hold it in place. Raises `ValueError` for a number that is missing.
    """
    parts: dict[str, Sequence[object]] = {
        "calls": step.calls,
        "citations": step.citations,
        "verdicts": step.submissions,
        "exit_calls": step.exit_calls,
    }
    for name, held in parts.items():
        numbers = fields.get(name)
        if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
            continue
        fields[name] = _chosen(held, numbers, name) if calls or name == "verdicts" else ()
    if fields["type"] == "step" and "reply" not in fields:
        fields.update(step.told)


def _chosen(held: Sequence[object], numbers: Sequence[int], name: str) -> tuple[object, ...]:
    if any(not 0 <= number < len(held) for number in numbers):
        msg = f"it names {name} that are in no line before it"
        raise ValueError(msg)
    if len(set(numbers)) < len(numbers):
        msg = f"it names some of its {name} twice"
        raise ValueError(msg)
    return tuple(held[number] for number in numbers)


REMEMBERED_TEXTS: Final = 20_000


class KnownTexts:
    """The keys of texts that the journal holds, the latest ones only: one that was forgotten is stored once more."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._lock = threading.Lock()

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def remember(self, keys: Iterable[str]) -> None:
        """Note that these are stored."""
        with self._lock:
            self._keys.update(dict.fromkeys(keys))
            while len(self._keys) > REMEMBERED_TEXTS:
                del self._keys[next(iter(self._keys))]


class EncodedEvent(NamedTuple):
    """An event ready to be written. Of what goes from one process to another, a tuple is the quickest."""

    body: bytes
    """Its fields as a JSON object, long texts replaced by references."""
    texts: Mapping[str, str]
    """The texts that it refers to and that may not be stored yet, by their keys."""
    noted: JournalEvent | None = None
    """The part of it that the run's summary needs, if the summary is in another process."""


def encode_event(event: JournalEvent, known: KnownTexts, noted: JournalEvent | None = None) -> EncodedEvent:
    """Return `event` with those of its long texts that are not `known`."""
    texts: dict[str, str] = {}

    def intern(text: str) -> str:
        key = key_of(text)
        if key not in known:
            texts[key] = text
        return REFERENCE + key

    return EncodedEvent(json_of(encoded(fields_to_write(event), intern)), texts, noted)
