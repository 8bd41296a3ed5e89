"""Writes the lines of journals. Each is a JSON object with the hash of the line before and its own
hash.

Long strings: a string of `LONG` characters or more gets a line of its own, an event of type `text`,
and other lines refer to it as `@text:` and its key. It is stored again after `MOST_REFERENCES`
references. A string that itself begins with `@text:` is stored the same way, so that references are
unambiguous.

Steps: each call, citation and submission has a line of its own, so that the line of a whole step
names them by number.

Marks: every event's line ends with a mark, which is an HMAC with the secret key of the user whose
run wrote it. The key is a file in the user's state folder that nobody else can read. A mark covers
its line and, through the chain of hashes, every earlier line. Anybody can write a chain of hashes,
but only the owner of the key can write a mark.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import re2
from pydantic_core import PydanticSerializationError, to_json

from controlplane.agent.events import (
    BY_NUMBER,
    JOINED,
    ConversationOpened,
    Event,
    StepDone,
    now_ms,
)
from controlplane.agent.trial_record import TrialStep
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_files import private_bytes, state_path
from controlplane.journal.run_events import JournalEvent
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import well_formed

LONG: Final = 200
"""Strings of this many characters or more are stored in lines of their own."""
REFERENCE: Final = "@text:"
"""A reference to a stored text is this and the text's key."""
GENESIS: Final = "0" * 32
"""The first line has no line before it, and names this hash instead."""

_ATOMS: Final = frozenset({int, float, bool, type(None)})
"""The types of values that need no encoding."""

# A line ends with its own hash and, if it is an event's, a mark. Each has 32 hexadecimal digits:
# {"prev":"…","at_ms":…,"type":"call",…,"hash":"0a1b…","mark":"9f8e…"}
_TAIL: Final = re2.compile(rb',"hash":"([0-9a-f]{32})"(?:,"mark":"[0-9a-f]{32}")?\}\z')
"""The end of every line, with or without a mark."""
_HASH_BYTES: Final = len(',"hash":""') + 32
_MARK_BYTES: Final = len(',"mark":""') + 32

KEY_FILE: Final = "controlplane/journal.key"
"""The file of the user's key, below the state folder."""
_KEY_BYTES: Final = 32


def key_of(text: str) -> str:
    """Return the key of a stored text: a hash of the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def encoded(value: Any, intern: Callable[[str], str]) -> object:
    """Return `value` in JSON types, with each long string replaced by the result of `intern`.

    Models become dicts, and tuples become lists. Every value of every event passes through here, so
    the code favors speed: it compares types instead of calling `isinstance`, and handles short
    strings and atoms, which most values are, without a recursive call.
    """
    kind = type(value)
    if kind is str:
        is_text = len(value) >= LONG or value.startswith(REFERENCE)
        return intern(value) if is_text else value
    if kind is list or kind is tuple:
        return [item if type(item) in _ATOMS else encoded(item, intern) for item in value]
    if kind in _ATOMS:
        return value
    if isinstance(value, str):  # such as the member of an enumeration
        return encoded(str(value), intern)

    # Only dicts and models are left.
    fields = value if isinstance(value, dict) else value.__dict__
    encoded_fields: dict[str, object] = {}
    for name, item in fields.items():
        item_kind = type(item)
        is_short = item_kind is str and len(item) < LONG and item[:1] != "@"
        if is_short or item_kind in _ATOMS:
            encoded_fields[name] = item
        else:
            encoded_fields[name] = encoded(item, intern)
    return encoded_fields


def resolved(value: Any, texts: Mapping[str, str]) -> Any:
    """Return `value` with each reference replaced by its text. Raises `KeyError` if a text is
    missing."""
    if isinstance(value, str):
        if value.startswith(REFERENCE):
            return texts[value.removeprefix(REFERENCE)]
        return value
    if isinstance(value, dict):
        resolved_fields: dict[str, Any] = {}
        for name, item in value.items():
            # Most values are atoms and plain strings, which need no recursive call.
            item_kind = type(item)
            if item_kind in _ATOMS or (item_kind is str and item[:1] != "@"):
                resolved_fields[name] = item
            else:
                resolved_fields[name] = resolved(item, texts)
        return resolved_fields
    if isinstance(value, list):
        return [item if type(item) in _ATOMS else resolved(item, texts) for item in value]
    return value


class ChainedLine(NamedTuple):
    """A line of a journal, ready to be written."""

    line: bytes
    """The line with its newline."""
    own_hash: str
    """Its hash, which the next line names as `prev`."""


def line_of(fields: bytes, previous: str, key: bytes | None = None) -> ChainedLine:
    """Return the line with an event's `fields`, a JSON object, after the line whose hash is
    `previous`.

    The line carries the mark of `key`, if one is given.
    """
    fields_without_braces = fields[1:-1]
    body = b'{"prev":"%b",%b' % (previous.encode(), fields_without_braces)
    digest = hashlib.sha256(body).digest()
    own_hash = digest[:16].hex()
    mark = b',"mark":"%b"' % _mark(digest, key) if key else b""
    line = b'%b,"hash":"%b"%b}\n' % (body, own_hash.encode(), mark)
    return ChainedLine(line, own_hash)


def json_of(fields: object) -> bytes:
    """Return encoded fields as JSON in ASCII, without spaces.

    Half of a surrogate pair becomes U+FFFD, as it does when a journal is read.
    """
    try:
        return to_json(fields, ensure_ascii=True)  # four times as fast as `json`
    except PydanticSerializationError:  # half of a surrogate pair
        whole = well_formed(json.dumps(fields, ensure_ascii=False))
        return json.dumps(json.loads(whole), separators=(",", ":")).encode()


def end_of_fields(line: bytes) -> int:
    """Return the index in `line`, newline excluded, at which its hash begins: `,"hash":"…`.

    It is computed from the line's length. In a damaged line, something else may be there.
    """
    place = len(line) - _HASH_BYTES - len("}")
    if line.startswith(b',"hash":"', place):
        return place
    return place - _MARK_BYTES


class LineCheck(NamedTuple):
    """What the check of a line found."""

    own_hash: str
    """The hash that the line carries."""
    is_marked: bool
    """True if it carries the mark of the given key."""


def checked_hash(line: bytes, previous: str, key: bytes | None = None) -> LineCheck:
    """Check that `line`, newline excluded, continues the chain after the line with hash `previous`.

    The line has to name that hash, and to match its own. The result also tells whether the line
    carries the mark of `key`. Raises `ValueError` if the chain is broken.
    """
    end = end_of_fields(line)
    digest = hashlib.sha256(memoryview(line)[:end]).digest()
    own_hash = digest[:16].hex()
    rest = line[end + _HASH_BYTES :]  # `}`, or `,"mark":"…"}`
    is_marked = key is not None and hmac.compare_digest(rest, b',"mark":"%b"}' % _mark(digest, key))

    if not line.startswith(b'{"prev":"%b",' % previous.encode()):
        msg = "it does not follow the line before it"
        raise ValueError(msg)
    has_own_hash = line.startswith(b',"hash":"%b"' % own_hash.encode(), end)
    # The pattern accepts the mark of another user, too.
    ends_well = rest == b"}" or is_marked or _TAIL.search(line, end)
    if not (has_own_hash and ends_well):
        msg = "its bytes do not match its hash"
        raise ValueError(msg)
    return LineCheck(own_hash, is_marked)


def _mark(digest: bytes, key: bytes) -> bytes:
    """Return the mark that `key` makes for a line. `digest` is that of the bytes before its
    hash."""
    return hmac.digest(key, digest, "sha256")[:16].hex().encode()


def _fields_annotated(kind: type[Event], annotation: str) -> tuple[str, ...]:
    """Return the names of an event class's fields that are declared `Annotated[…, annotation]`."""
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if annotation in field.metadata:
            names.append(name)
    return tuple(names)


_NUMBERED_FIELDS: Final = {
    kind: _fields_annotated(kind, BY_NUMBER) for kind in (ConversationOpened, StepDone)
}
"""Fields such as `calls`, whose values have lines of their own. The line of a step holds their
numbers."""
_LEFT_OUT_FIELDS: Final = {
    kind: _fields_annotated(kind, JOINED) for kind in (ConversationOpened, StepDone)
}
"""Fields such as `reply`, which a step's line omits because the line of the model's reply has
them."""


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as written in its line.

    A step with two calls is written with `"calls": [0, 1]`, and without its reply. `join` restores
    both.
    """
    kind = type(event)
    if kind not in _NUMBERED_FIELDS:
        return event.__dict__
    fields: dict[str, Any] = {}
    for name, value in event.__dict__.items():
        if name in _NUMBERED_FIELDS[kind]:
            fields[name] = list(range(len(value)))
        elif name not in _LEFT_OUT_FIELDS[kind]:
            fields[name] = value
    return fields


def join(fields: dict[str, Any], step: TrialStep, *, calls: bool = True) -> None:
    """Replace numbers in the fields of a line by the parts of `step`: `[0]` -> `(CallRecord(…),)`.

    A whole step also gets the model's reply. If `calls` is False, the result has no calls and no
    citations. Raises `ValueError` for wrong numbers.
    """
    recorded_parts: dict[str, Sequence[object]] = {
        "calls": step.calls,
        "citations": step.citations,
        "verdicts": step.submissions,
    }
    for name, parts in recorded_parts.items():
        if name not in fields:
            continue
        if not calls and name != "verdicts":
            fields[name] = ()
            continue
        fields[name] = _parts_by_number(name, parts, fields[name])
    is_whole_step = fields["type"] == "step"
    if is_whole_step:
        fields.update(step.reply_fields)


def _parts_by_number(name: str, parts: Sequence[object], numbers: object) -> tuple[object, ...]:
    """Return the parts with these numbers.

    Raises `ValueError` if `numbers` is not a list, or has an unknown number or the same number
    twice.
    """
    msg = f"its {name} do not name lines before it, each once"
    if not isinstance(numbers, list):
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is damaged
    chosen: dict[int, object] = {}
    for number in numbers:
        if not isinstance(number, int) or number in chosen or not 0 <= number < len(parts):
            raise ValueError(msg)
        chosen[number] = parts[number]
    return tuple(chosen.values())


MOST_REFERENCES: Final = 16
"""After this many references a text is stored again. Readers refuse a small journal that refers to
its texts very often (see `MAX_TIMES_SHOWN` in `journal_reader`)."""
MOST_COUNTED_TEXTS: Final = 20_000
"""A writer counts the references to this many of the latest texts. It stores an older text again if
a line needs it."""
REFERENCES: Final = re2.compile(rb'"@text:([0-9a-f]{32})')
"""Finds the references in a line. The `@text:` is that of `REFERENCE`."""


def own_key() -> bytes | None:
    """Return this user's key; None if there is none, or others can read or write its file."""
    key = private_bytes(KEY_FILE, _KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, and create it if it is missing; None if it cannot be written."""
    with suppress(OSError, RuntimeError):
        path = state_path(KEY_FILE, makes=True)
        if not path.exists():  # `replaces=False`, since another process may create it first.
            write_whole(path, secrets.token_bytes(_KEY_BYTES), mode=0o600, replaces=False)
    return own_key()


RESUMABLE: Final = "what was recorded before is kept and resumable"
"""The end of a writer's error message, unless the run cannot be resumed."""


class JournalWriter:
    """Appends events to a journal, from any thread.

    A run creates one when it begins or resumes, and closes it at its end. It locks the file, so
    that no other process can write the same journal. Each event's line gets this user's mark.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open a new file at `path` or, if not `create`, an existing one.

        For an existing file, call `continue_after` before the first event is written. Raises
        `JournalUnwritable`, or `UsageError` if another process is writing the journal.
        """
        self.path = path
        self.place = path.absolute()
        """The absolute path, since a solver or a benchmark may change the working folder."""
        self._key = made_key()
        self._lock = threading.Lock()
        self._previous = GENESIS
        """The hash of the last line."""
        self._references: dict[str, int] = {}
        """The number of references to each of the latest texts since it was stored, by the text's
        key."""
        self.failure: JournalUnwritable | None = None
        """The error after which nothing more is written; None if there was none."""
        self.resume_hint = RESUMABLE
        """The end of that error's message: whether the run can be resumed. The run sets it."""
        self._file = _open_to_append(path, create=create)
        """The descriptor of the open file; -1 after `close`."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            msg = f"another process is writing {path}; wait for it, or stop it first"
            raise UsageError(msg) from error
        except OSError as error:
            os.close(self._file)
            if create:
                path.unlink(missing_ok=True)
            msg = f"cannot lock the journal {path}: {error.strerror}; use a folder on another file system"
            raise JournalUnwritable(msg) from error

    def continue_after(self, *, length: int, last_hash: str) -> None:
        """Continue after the first `length` bytes, and cut off the incomplete line after them, if
        any.

        `last_hash` is the hash of the last complete line.
        """
        os.ftruncate(self._file, length)
        self._previous = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, after its long texts.

        Raises `JournalUnwritable`. After that error, nothing more is written.
        """
        new_texts: dict[str, str] = {}

        def reference_to(text: str) -> str:
            """Return the reference to a long text, and add it to `new_texts` if it is not
            stored."""
            text = well_formed(text)
            key = key_of(text)
            if not self._is_stored(key):
                new_texts[key] = text
            return REFERENCE + key

        fields = encoded(fields_to_write(event), reference_to)
        self.write_body(json_of(fields), new_texts)

    def write_body(self, body: bytes, texts: Mapping[str, str]) -> None:
        """Append a line with the JSON `body`, after those of its `texts` that are not stored yet.

        `texts` holds the texts that the body refers to, by key.
        """
        with self._lock:
            if self.failure:
                raise self.failure

            lines: list[bytes] = []
            previous = self._previous
            new_keys = [key for key in texts if not self._is_stored(key)]
            for key in new_keys:
                stored = {"at_ms": now_ms(), "type": "text", "key": key, "text": texts[key]}
                line, previous = line_of(json_of(stored), previous)
                lines.append(line)
            line, previous = line_of(body, previous, self._key)
            lines.append(line)

            self._append(b"".join(lines))
            self._previous = previous
            self._count_references(body, new_keys)

    def _append(self, data: bytes) -> None:
        """Write all of `data`. Raises `JournalUnwritable`."""
        unwritten = memoryview(data)
        try:
            while unwritten:
                unwritten = unwritten[os.write(self._file, unwritten) :]
        except OSError as error:
            self._fail(error)

    def _count_references(self, body: bytes, new_keys: Sequence[str]) -> None:
        """Record that the texts of `new_keys` are stored, and count the references in a line."""
        for key in new_keys:
            self._references[key] = 0
        for reference in REFERENCES.findall(body):
            key = reference.decode()
            if key in self._references:  # Other text may look like a reference.
                self._references[key] += 1
        while len(self._references) > MOST_COUNTED_TEXTS:
            oldest = next(iter(self._references))
            del self._references[oldest]

    def _is_stored(self, key: str) -> bool:
        """Return True if a line may refer to the text of `key` without storing it again."""
        references = self._references.get(key)
        return references is not None and references < MOST_REFERENCES

    def sync(self) -> None:
        """Flush everything to the disk. Raises `JournalUnwritable`, also if the file was
        removed."""
        try:
            os.fsync(self._file)
            is_in_place = os.path.samestat(self.place.stat(), os.fstat(self._file))
        except FileNotFoundError:
            is_in_place = False
        except OSError as error:
            self._fail(error)
        if not is_in_place:
            msg = f"the journal {self.path} was removed while it was being written; what it held is lost"
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> NoReturn:
        """Record the error that ends all writing, and raise it as `JournalUnwritable`."""
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
        """Close the file and remove it."""
        self.close()
        self.place.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        """Close the file, and remove it if it is empty, lest commands take it for the latest
        run."""
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()


def _open_to_append(path: Path, *, create: bool) -> int:
    """Return the descriptor of a journal's file, opened to append.

    With `create` the file must not exist yet. Raises `JournalUnwritable`.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
    if create:
        flags |= os.O_CREAT | os.O_EXCL
        remedy = "name a folder that you may write with --runs-dir"
    else:
        flags |= os.O_NOFOLLOW
        remedy = "copy it to where you may write"
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return os.open(path, flags, 0o600)
    except (FileExistsError, NotADirectoryError) as error:  # A parent is a file.
        msg = f"cannot write the journal {path}: that is not a folder; {remedy}"
        raise JournalUnwritable(msg) from error
    except OSError as error:
        msg = f"cannot write the journal {path}: {error.strerror}; {remedy}"
        raise JournalUnwritable(msg) from error
