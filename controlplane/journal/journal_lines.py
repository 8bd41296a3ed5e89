"""Writes the lines of journals.

Each line is a JSON object. It begins with the hash of the line before, and ends with
its own hash:

    {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…","hash":"2c3d…"}
    {"prev":"2c3d…","at_ms":1764300000001,"type":"step",…,"hash":"4e5f…","mark":"6a7b…"}

A long string has a line of its own, of the type `text`. Other lines refer to it:
`"@text:9f8e…"`.

Each line of an event ends with a mark: a signature with the user's secret key. Anybody
can write a chain of hashes, but only the owner of the key can write a mark. A mark also
covers all earlier lines, because a line's hash depends on them.
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
    IN_OWN_LINES,
    IN_REPLY_LINE,
    ConversationOpened,
    Event,
    StepDone,
    now_ms,
    type_of,
)
from controlplane.agent.trial_record import TrialStep
from controlplane.errors import JournalUnwritable, UsageError
from controlplane.journal.journal_files import private_bytes, state_path
from controlplane.journal.run_events import JournalEvent
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import well_formed

GENESIS: Final = "0" * 32
"""The `prev` of the first line, which has no line before it."""
_TYPES_IN_JSON: Final = frozenset({int, float, bool, type(None)})

# --- Long strings ---

LONG: Final = 200
"""Strings of this many characters or more are stored in lines of their own."""
REFERENCE: Final = "@text:"
"""A reference to a stored string is this and the string's key.

A string that only looks like a reference is stored, too, or it would be taken for one.
"""


def key_of(text: str) -> str:
    """Return the key of a stored text: a hash of the text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def encoded(value: Any, store: Callable[[str], str]) -> object:
    """Return `value` in the types of JSON. Models become dicts, and tuples become
    lists.

    Each long string is passed to `store`, which returns the reference to write in its
    place.
    """
    # Comparing types is faster than `isinstance`. This runs for each value of each
    # event.
    kind = type(value)
    if kind in _TYPES_IN_JSON:
        return value
    if kind is str:
        if len(value) >= LONG or value.startswith(REFERENCE):
            return store(value)
        return value
    if kind is list or kind is tuple:
        return [encoded(item, store) for item in value]
    if isinstance(value, str):  # such as the member of an enumeration
        return encoded(str(value), store)

    # Only dicts and models are left.
    fields = value if isinstance(value, dict) else value.__dict__
    return {name: encoded(item, store) for name, item in fields.items()}


def resolved(value: Any, text_of: Callable[[str], str]) -> Any:
    """Return a value of JSON in which the texts are inserted for the references to
    them.

    `text_of` returns the text with a key.
    """
    kind = type(value)
    if kind is str:
        if value.startswith(REFERENCE):
            return text_of(value.removeprefix(REFERENCE))
        return value
    if kind is list:
        return [resolved(item, text_of) for item in value]
    if kind is dict:
        return {name: resolved(item, text_of) for name, item in value.items()}
    return value


# --- The chain of hashes ---

# A line ends with the hash of its fields. The line of an event also has a mark, made
# from the same digest. Both have 32 hexadecimal digits:
#
#     {"prev":"0a1b…","at_ms":5,"type":"step"   ,"hash":"4e5f…"   ,"mark":"6a7b…"   }
#     the fields                                the hash          the mark
_HASH_BYTES: Final = len(',"hash":""') + 32
_MARK_BYTES: Final = len(',"mark":""') + 32
_MARK_AND_BRACE: Final = re2.compile(rb',"mark":"[0-9a-f]{32}"\}')
"""What follows the hash in a line with a mark: `,"mark":"6a7b…"}`."""


class ChainedLine(NamedTuple):
    """A line of a journal, ready to be written."""

    line: bytes
    """The line with its newline."""
    own_hash: str
    """Its hash, which the next line names as `prev`."""


def line_of(fields: bytes, previous: str, key: bytes | None = None) -> ChainedLine:
    """Return the line of an event, with the mark of `key` if a key is given.

    - `fields`: the event as a JSON object, such as `{"at_ms":5,"type":"step"}`.
    - `previous`: the hash of the line before.
    """
    prev_field = b'{"prev":"' + previous.encode() + b'",'
    all_fields = prev_field + fields[1:-1]  # `fields` without its braces
    digest = hashlib.sha256(all_fields).digest()
    own_hash = _short_hex(digest)

    line = all_fields + b',"hash":"' + own_hash.encode() + b'"'
    if key:
        line += b',"mark":"' + _mark(digest, key) + b'"'
    return ChainedLine(line + b"}\n", own_hash)


def _short_hex(digest: bytes) -> str:
    """Return the first half of a digest as 32 hexadecimal digits."""
    return digest[:16].hex()


def _mark(digest: bytes, key: bytes) -> bytes:
    """Return the mark of a line: an HMAC of the digest of its fields."""
    return _short_hex(hmac.digest(key, digest, "sha256")).encode()


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
    """Return the index at which a line's hash begins: `,"hash":"…`. `line` has no
    newline.

    The index is computed from the line's end. In a damaged line, something else may be
    there.
    """
    without_mark = len(line) - _HASH_BYTES - len("}")
    if line.startswith(b',"hash":"', without_mark):
        return without_mark
    return without_mark - _MARK_BYTES


class LineCheck(NamedTuple):
    """What the check of a line found."""

    own_hash: str
    """The hash that the line carries."""
    is_marked: bool
    """True if it carries the mark of the given key."""


def checked_hash(line: bytes, previous: str, key: bytes | None = None) -> LineCheck:
    """Check that `line` continues the chain after the line whose hash is `previous`.

    `line` has no newline. Raises `ValueError` if its `prev` is not `previous`, or if
    its hash does not match its fields.
    """
    if not line.startswith(b'{"prev":"%b",' % previous.encode()):
        msg = "it does not follow the line before it"
        raise ValueError(msg)

    end = end_of_fields(line)
    digest = hashlib.sha256(memoryview(line)[:end]).digest()
    own_hash = _short_hex(digest)
    has_own_hash = line.startswith(b',"hash":"%b"' % own_hash.encode(), end)
    after_hash = line[end + _HASH_BYTES :]
    is_unmarked = after_hash == b"}"
    # Any user's mark is accepted here. Whether it is the mark of `key` is checked
    # below.
    if not has_own_hash or not (is_unmarked or _MARK_AND_BRACE.fullmatch(after_hash)):
        msg = "its bytes do not match its hash"
        raise ValueError(msg)

    if is_unmarked or key is None:
        return LineCheck(own_hash, is_marked=False)
    mark_and_brace = b',"mark":"%b"}' % _mark(digest, key)
    return LineCheck(own_hash, hmac.compare_digest(after_hash, mark_and_brace))


# --- The line of a whole step ---

# Each call, citation and submission of a step has a line of its own, as has the model's
# reply. The line of the whole step comes last. It names the parts by number (fields
# marked `IN_OWN_LINES` in the event's class), and leaves out the fields of the reply
# (`IN_REPLY_LINE`):
#
#     {…,"type":"call","step":3,"number":0,…}
#     {…,"type":"call","step":3,"number":1,…}
#     {…,"type":"step","step":3,"calls":[0,1],…}


def _fields_annotated(kind: type[Event], annotation: str) -> tuple[str, ...]:
    """Return the names of an event class's fields that are declared `Annotated[…,
    annotation]`."""
    names: list[str] = []
    for name, field in kind.model_fields.items():
        if annotation in field.metadata:
            names.append(name)
    return tuple(names)


_FIELDS_WITH_NUMBERS: Final = {
    kind: _fields_annotated(kind, IN_OWN_LINES)
    for kind in (ConversationOpened, StepDone)
}
"""By class of event, the fields that name parts by number: `calls`, `citations` and
`verdicts`."""
_FIELDS_LEFT_OUT: Final = {
    kind: _fields_annotated(kind, IN_REPLY_LINE)
    for kind in (ConversationOpened, StepDone)
}
"""By class of event, the fields that only the line of the model's reply has, such as
`cost_usd`."""


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as written in its line. `restore_parts` does the
    reverse."""
    kind = type(event)
    if kind not in _FIELDS_WITH_NUMBERS:
        return event.__dict__
    fields: dict[str, Any] = {}
    for name, value in event.__dict__.items():
        if name in _FIELDS_WITH_NUMBERS[kind]:
            fields[name] = list(range(len(value)))
        elif name not in _FIELDS_LEFT_OUT[kind]:
            fields[name] = value
    return fields


def restore_parts(
    fields: dict[str, Any], step: TrialStep, *, with_calls: bool = True
) -> None:
    """Replace the numbers in a line's fields by the parts of `step`: `[0]` ->
    `(CallRecord(…),)`.

    The line of a whole step also gets the model's reply. Without `with_calls`, the
    calls and citations become empty. Raises `ValueError` for wrong numbers.
    """
    if with_calls:
        _restore(fields, "calls", step.calls)
        _restore(fields, "citations", step.citations)
    else:
        for name in ("calls", "citations"):
            if name in fields:
                fields[name] = ()
    _restore(fields, "verdicts", step.submissions)
    if fields["type"] == type_of(StepDone):
        fields.update(step.reply_fields)


def _restore(fields: dict[str, Any], name: str, parts: Sequence[object]) -> None:
    """Replace the numbers in the field `name`, if the line has it, by the parts that
    they name.

    Raises `ValueError` if the field is not a list, or has an unknown number or a number
    twice.
    """
    if name not in fields:
        return
    numbers = fields[name]
    msg = f"its {name} do not name lines before it, each once"
    if not isinstance(numbers, list):
        raise ValueError(msg)  # noqa: TRY004 - like any other line that is damaged
    chosen: dict[int, object] = {}
    for number in numbers:
        if (
            not isinstance(number, int)
            or number in chosen
            or not 0 <= number < len(parts)
        ):
            raise ValueError(msg)
        chosen[number] = parts[number]
    fields[name] = tuple(chosen.values())


# --- The user's key ---

KEY_FILE: Final = "controlplane/journal.key"
"""The file of the user's key, in the user's state folder (`~/.local/state`)."""
_KEY_BYTES: Final = 32


def own_key() -> bytes | None:
    """Return this user's key; None if there is none, or others can read or write its
    file."""
    key = private_bytes(KEY_FILE, _KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, and create it if it is missing; None if it cannot be
    written."""
    with suppress(OSError, RuntimeError):
        path = state_path(KEY_FILE, makes=True)
        if (
            not path.exists()
        ):  # `replaces=False`, since another process may create it first.
            write_whole(
                path, secrets.token_bytes(_KEY_BYTES), mode=0o600, replaces=False
            )
    return own_key()


# --- Writing ---

MOST_REFERENCES: Final = 16
"""After this many references a text is stored again. Readers refuse a small journal
that refers to its texts very often (see `MAX_REFERENCED_PER_BYTE` in
`stored_texts`)."""
MOST_COUNTED_TEXTS: Final = 20_000
"""A writer remembers this many of the latest texts. If a line needs an older one, it is
stored again."""
_QUOTED_REFERENCE: Final = f'"{REFERENCE}'.encode()
_KEY_CHARS: Final = 32
RESUMABLE: Final = "what was recorded before is kept and resumable"
"""The end of a writer's error message, unless the run cannot be resumed."""


def referenced_keys(line: bytes) -> list[bytes]:
    """Return the keys of the texts that a line refers to: `{"reply":"@text:0a1b…"}` ->
    `0a1b…`.

    Other text may look like a reference, so a key may belong to no stored text.
    """
    parts = line.split(_QUOTED_REFERENCE)
    return [part[:_KEY_CHARS] for part in parts[1:]]


class JournalWriter:
    """Appends events to a journal, from any thread.

    A run creates one when it begins or resumes, and closes it at its end. The file is
    locked against other writers. Each event's line gets this user's mark, which is a
    signature. After the first failure nothing more is written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open a new file at `path` or, if not `create`, an existing one.

        For an existing file, call `continue_after` before the first event is written.
        Raises `JournalUnwritable`, or `UsageError` if another process is writing the
        journal.
        """
        self.path = path
        self.place = path.absolute()
        """The absolute path, since a solver or a benchmark may change the working
        folder."""
        self._key = made_key()
        self._lock = threading.Lock()
        self._previous = GENESIS
        """The hash of the last line."""
        self._reference_counts: dict[str, int] = {}
        """How often lines have referred to each of the latest texts since it was
        stored, by the text's key."""
        self.failure: JournalUnwritable | None = None
        """The error after which nothing more is written; None if there was none."""
        self.resume_hint = RESUMABLE
        """Says whether the run can be resumed, at the end of that error's message. The
        run sets it."""
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
        """Continue after the first `length` bytes, and cut off the incomplete line
        after them, if any.

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
            """Return the reference to a long text, and add it to `new_texts` if it is
            not stored."""
            text = well_formed(text)
            key = key_of(text)
            if not self._may_refer_to(key):
                new_texts[key] = text
            return REFERENCE + key

        fields = encoded(fields_to_write(event), reference_to)
        self.write_body(json_of(fields), new_texts)

    def write_body(self, body: bytes, texts: Mapping[str, str]) -> None:
        """Append a line with the fields in `body`, as JSON.

        `texts` are long strings that the body refers to, by key. Those that are not
        stored yet get lines before it.
        """
        with self._lock:
            if self.failure:
                raise self.failure

            lines: list[bytes] = []
            previous = self._previous
            new_keys = [key for key in texts if not self._may_refer_to(key)]
            for key in new_keys:
                stored = {
                    "at_ms": now_ms(),
                    "type": "text",
                    "key": key,
                    "text": texts[key],
                }
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
        """Record that the texts of `new_keys` are stored, and count the references in a
        line."""
        for key in new_keys:
            self._reference_counts[key] = 0
        for referenced_key in referenced_keys(body):
            key = referenced_key.decode("utf-8", "replace")
            if key in self._reference_counts:  # Other text may look like a reference.
                self._reference_counts[key] += 1
        while len(self._reference_counts) > MOST_COUNTED_TEXTS:
            oldest = next(iter(self._reference_counts))
            del self._reference_counts[oldest]

    def _may_refer_to(self, key: str) -> bool:
        """Return True if a line may refer to the text of `key`; False if it has to be
        stored first.

        A text is stored first if it is new, or has been referred to too often.
        """
        count = self._reference_counts.get(key)
        return count is not None and count < MOST_REFERENCES

    def sync(self) -> None:
        """Flush everything to the disk. Raises `JournalUnwritable`, also if the file
        was removed."""
        was_removed = False
        try:
            os.fsync(self._file)
            was_removed = not os.path.samestat(self.place.stat(), os.fstat(self._file))
        except FileNotFoundError:
            was_removed = True
        except OSError as error:
            self._fail(error)
        if was_removed:
            msg = f"the journal {self.path} was removed while it was being written; what it held is lost"
            self.failure = JournalUnwritable(msg)
            raise self.failure

    def _fail(self, error: OSError) -> NoReturn:
        """Record the error that ends all writing, and raise it as
        `JournalUnwritable`."""
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
        """Close the file. Remove it if it is empty, or commands would take it for the
        latest run."""
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
