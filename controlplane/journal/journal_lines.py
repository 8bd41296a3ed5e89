"""Names and opens the files of journals, and writes their lines: JSON, each with the hash of the previous line and of
its own other bytes. Pipes and devices are refused, whoever made them.

A string of `LONG` characters or more is stored as a `text` event of its own, and again after `MOST_REFERENCES`;
`@text:` and its key refer to it. A string that itself begins with `@text:` is stored the same way, so that references
are unambiguous. A step names its calls, citations and submissions by number, because each has a line of its own.

Every event's line ends with the keyed mark of the user whose run wrote it. The key is a file in the user's state folder
that nobody else can read. A mark covers its line and, by the chain, every earlier line, stored texts included. Anybody
can make a new chain, but not a mark.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

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
from controlplane.errors import JournalUnwritable, NotAJournal, UsageError
from controlplane.journal.run_events import JournalEvent
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds, well_formed

CONFIG_FILE: Final = "controlplane.toml"
RUNS_DIR: Final = "runs"
"""The default folder of journals."""
LOOP_FILE: Final = "loop.jsonl"
"""The record in the folder of a loop of `improve`."""
PLAIN: Final = ".jsonl"


def with_home(path: str) -> str:
    """Return `path` with a leading `~` expanded, which shells do not expand after `=` and a colon."""
    return os.path.expanduser(path)  # noqa: PTH111 - pathlib's raises if there is no such user


def journals_folder(named: str) -> str:
    """Return the folder of journals that a default or a configuration names. Raises `UsageError` if a link in the
    working folder leads it elsewhere: the folder's author is not the user."""
    folder, here = Path(with_home(named)), Path.cwd().resolve()
    real = (here / folder).resolve()
    if not real.is_relative_to(here) and os.path.normpath(here / folder) != str(real):
        msg = f"{named} is a link out of this folder, to {real}: name that with --runs-dir if it is meant"
        raise UsageError(msg)
    return str(folder)


def journal_id(path: Path) -> str:
    """Return the id of the journal at `path`: its name without the suffix; a loop's is the name of its folder."""
    return path.parent.name if path.name == LOOP_FILE else path.stem


@contextmanager
def reading_faults(path: Path) -> Iterator[None]:
    """Translate errors of reading the file at `path` into `NotAJournal`."""
    try:
        yield
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise NotAJournal(msg) from error


def open_regular(path: Path, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a regular file, for reading unless `flags` say otherwise. Raises `OSError` for a pipe, a device or a folder,
    without waiting for it, and for a link if the file is to be written."""
    through_links = 0 if flags == os.O_RDONLY else os.O_NOFOLLOW
    descriptor = os.open(path, flags | through_links | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(
            number,
            "Is a directory" if stat.S_ISDIR(mode) else "it is a pipe or a device, not a file",
        )
    return os.fdopen(descriptor, "rb" if flags == os.O_RDONLY else "wb")


def state_path(name: str, *, makes: bool = False) -> Path:
    """Return the place of a file in the user's state folder, which it `makes` if it is missing. Raises `OSError`, and
    `RuntimeError` if there is no home folder."""
    given = os.environ.get("XDG_STATE_HOME", "")
    path = (
        Path(given) if Path(given).is_absolute() else Path("~/.local/state").expanduser()
    ) / name
    if makes:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def private_bytes(name: str, most: int) -> bytes:
    """Return the beginning of a file in the state folder; empty unless this user alone can read and write it."""
    with contextlib.suppress(OSError, RuntimeError), open_regular(state_path(name)) as file:
        status = os.fstat(file.fileno())
        if status.st_uid == os.getuid() and not status.st_mode & 0o077:
            return file.read(most)
    return b""


def lines_of(file: IO[bytes], most: int = bounds.MOST_LINE_BYTES) -> Iterator[bytes]:
    """Yield the lines from here on. Raises `ValueError` for a line longer than `most` bytes."""
    while line := file.readline(most + 1):
        if len(line) > most:
            msg = f"it is longer than {most:,} bytes"
            raise ValueError(msg)
        yield line


def open_to_read(path: Path) -> BinaryIO:
    """Return the journal's file, which the caller closes. Raises `NotAJournal`."""
    with reading_faults(path):
        return open_regular(path)


def newest_first(folder: Path, *, runs: bool = True, loops: bool = False) -> list[Path]:
    """Return the journals of `runs` in a folder, or the records of `loops`, or both, the latest written first; nothing
    if the folder does not exist. Raises `UsageError` if the folder cannot be read."""
    stamped: list[tuple[float, Path]] = []
    try:
        journals = (path for path in folder.iterdir() if path.suffix == PLAIN)
        for path in (
            *(journals if runs else ()),
            *(folder.glob(f"*/{LOOP_FILE}") if loops else ()),
        ):
            with contextlib.suppress(OSError):  # removed since, or a broken link
                stamped.append((path.stat().st_mtime, path))
    except FileNotFoundError:
        return []
    except OSError as error:
        msg = f"cannot read the folder of the journals {folder}: {error.strerror}; name another with --runs-dir"
        raise UsageError(msg) from error
    return [path for _, path in sorted(stamped, reverse=True)]


def is_being_written(path: Path) -> bool:
    """Say whether a process has the journal at `path` open for writing."""
    try:
        with open_regular(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:  # others: no file, or a file system without locks, to which no journal can be written
        return isinstance(error, BlockingIOError)
    return False


LONG: Final = 200
REFERENCE: Final = "@text:"
GENESIS: Final = "0" * 32
"""The previous hash in the first line."""

_ATOMS: Final = frozenset({int, float, bool, type(None)})
_TAIL: Final = re2.compile(rb',"hash":"([0-9a-f]{32})"(?:,"mark":"[0-9a-f]{32}")?\}\z')
_HASH_BYTES: Final = len(',"hash":""') + 32

KEY_FILE: Final = "controlplane/journal.key"
_KEY_BYTES: Final = 32


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def encoded(value: Any, intern: Callable[[str], str]) -> object:
    """Return `value`, models and tuples included, in JSON types, with long strings replaced by `intern`'s result."""
    kind = type(value)  # quicker than `isinstance`
    if kind is not dict:
        if kind is str:
            return intern(value) if len(value) >= LONG or value.startswith(REFERENCE) else value
        if kind is list or kind is tuple:
            return [item if type(item) in _ATOMS else encoded(item, intern) for item in value]
        if kind in _ATOMS:
            return value
        if isinstance(value, str):
            return encoded(str(value), intern)
        if not isinstance(
            value, dict
        ):  # Only models are left; asking for their type would be slow.
            value = value.__dict__
    # Most values are short strings and atoms, which need no further call.
    return {
        name: item
        if (type(item) is str and len(item) < LONG and item[:1] != "@") or type(item) in _ATOMS
        else encoded(item, intern)
        for name, item in value.items()
    }


def resolved(value: Any, texts: Mapping[str, str]) -> Any:
    """Return `value` with references replaced by the texts they name. Raises `KeyError` for a missing text."""
    if isinstance(value, str):
        return texts[value.removeprefix(REFERENCE)] if value.startswith(REFERENCE) else value
    if isinstance(value, dict):
        # Most values are atoms and plain strings, which need no further call.
        return {
            name: item
            if type(item) in _ATOMS or (type(item) is str and item[:1] != "@")
            else resolved(item, texts)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [item if type(item) in _ATOMS else resolved(item, texts) for item in value]
    return value


def line_of(fields: bytes, previous: str, key: bytes | None = None) -> tuple[bytes, str]:
    """Return the line, newline included, for an event's fields as a JSON object, and the line's own hash. The line
    carries the mark of `key`, if one is given."""
    body = b'{"prev":"%b",%b' % (previous.encode(), fields[1:-1])
    digest = hashlib.sha256(body).digest()
    own = digest[:16].hex()
    mark = b',"mark":"%b"' % _mark(digest, key) if key else b""
    return b'%b,"hash":"%b"%b}\n' % (body, own.encode(), mark), own


def json_of(fields: object) -> bytes:
    """Return encoded fields as JSON in ASCII, without spaces. Half of a surrogate pair becomes
    U+FFFD, as it does when a journal is read."""
    try:
        return to_json(fields, ensure_ascii=True)  # takes a quarter of the time of `json`
    except PydanticSerializationError:  # half of a surrogate pair
        whole = well_formed(json.dumps(fields, ensure_ascii=False))
        return json.dumps(json.loads(whole), separators=(",", ":")).encode()


def end_of_fields(line: bytes) -> int:
    """Return the place in `line`, newline excluded, where its hash begins. The bytes there may be another's."""
    at = len(line) - _HASH_BYTES - 1
    return at if line.startswith(b',"hash":"', at) else at - len(',"mark":""') - 32


def checked_hash(line: bytes, previous: str, key: bytes | None = None) -> tuple[str, bool]:
    """Return the hash that `line` (without its newline) carries, and whether it carries the mark of `key`. Raises
    `ValueError` if the chain is broken."""
    end = end_of_fields(line)
    digest = hashlib.sha256(memoryview(line)[:end]).digest()
    own = digest[:16].hex()
    tail = b',"hash":"%b"' % own.encode()
    rest = line[end + _HASH_BYTES :]
    is_marked = key is not None and hmac.compare_digest(rest, b',"mark":"%b"}' % _mark(digest, key))
    if not line.startswith(b'{"prev":"%b",' % previous.encode()):
        msg = "it does not follow the line before it"
        raise ValueError(msg)
    if not (line.startswith(tail, end) and (rest == b"}" or is_marked or _TAIL.search(line, end))):
        msg = "its bytes do not match its hash"
        raise ValueError(msg)
    return own, is_marked


def _mark(digest: bytes, key: bytes) -> bytes:
    return hmac.digest(key, digest, "sha256")[:16].hex().encode()


def _marked(kind: type[Event], mark: str) -> tuple[str, ...]:
    return tuple(name for name, field in kind.model_fields.items() if mark in field.metadata)


_BY_NUMBER: Final = {kind: _marked(kind, BY_NUMBER) for kind in (ConversationOpened, StepDone)}
_JOINED: Final = {kind: _marked(kind, JOINED) for kind in _BY_NUMBER}


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as written in its line."""
    kind = type(event)
    if kind not in _BY_NUMBER:
        return event.__dict__
    fields = {name: value for name, value in event.__dict__.items() if name not in _JOINED[kind]}
    return fields | {name: list(range(len(fields[name]))) for name in _BY_NUMBER[kind]}


def join(fields: dict[str, Any], step: TrialStep, *, calls: bool = True) -> None:
    """Replace the numbers in `fields` by the parts of `step`; without `calls`, only verdicts and replies. Raises
    `ValueError` for wrong numbers."""
    parts: dict[str, Sequence[object]] = {
        "calls": step.calls,
        "citations": step.citations,
        "verdicts": step.submissions,
    }
    for name, held in parts.items():
        numbers = fields.get(name, []) if calls or name == "verdicts" else []
        is_list = isinstance(numbers, list) and all(isinstance(number, int) for number in numbers)
        if not is_list or not {*numbers} <= {*range(len(held))} or len({*numbers}) < len(numbers):
            msg = f"its {name} do not name lines before it, each once"
            raise ValueError(msg)
        if name in fields:
            fields[name] = tuple(held[number] for number in numbers)
    if fields["type"] == "step":
        fields.update(step.reply_fields)


MOST_REFERENCES: Final = 16
"""References after which a text is stored again: readers refuse a journal that shows its texts many times over."""
REFERENCES: Final = re2.compile(
    rb'"@text:([0-9a-f]{32})'
)  # REFERENCE, spelled out: patterns here are literals


def own_key() -> bytes | None:
    """Return this user's key; None without a key that only this user can read and write."""
    key = private_bytes(KEY_FILE, _KEY_BYTES + 1)
    return key if len(key) == _KEY_BYTES else None


def made_key() -> bytes | None:
    """Return this user's key, made if it is missing; None if the state folder cannot hold one."""
    with suppress(OSError, RuntimeError):
        path = state_path(KEY_FILE, makes=True)
        if not path.exists():  # It is written only if no other process was quicker.
            write_whole(path, secrets.token_bytes(_KEY_BYTES), mode=0o600, replaces=False)
    return own_key()


RESUMABLE: Final = "what was recorded before is kept and resumable"


class JournalWriter:
    """The only writer of a journal. A second process that opens the same journal is refused."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open `path`: a new file, or an existing one to continue (`continue_after`). Lines get this user's mark.
        Raises `JournalUnwritable`, and `UsageError` if another process writes it."""
        self.path = path
        self.place = path.absolute()
        """Where the journal is, even if a solver or a benchmark changes the working folder."""
        self._key = made_key()
        self._lock = threading.Lock()
        self._previous = GENESIS
        self._references: dict[str, int] = {}
        """For each of the latest texts, the references to it since it was stored."""
        self.failure: JournalUnwritable | None = None
        """The error that ended writing, if one did."""
        self.resume_hint = RESUMABLE
        """The part of that error's message about the rest of the run."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
        flags |= os.O_CREAT | os.O_EXCL if create else os.O_NOFOLLOW
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            what = (
                "that is not a folder"
                if isinstance(error, FileExistsError | NotADirectoryError)
                else error.strerror
            )
            remedy = (
                "name a folder that you may write with --runs-dir"
                if create
                else "copy it to where you may write"
            )
            msg = f"cannot write the journal {path}: {what}; {remedy}"
            raise JournalUnwritable(msg) from error
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
        """Continue after the first `length` bytes, whose chain ends in `last_hash`; cut off a torn line after them."""
        os.ftruncate(self._file, length)
        self._previous = last_hash

    def write(self, event: JournalEvent) -> None:
        """Append one event, its texts first. Raises `JournalUnwritable`; then nothing more is written."""
        texts: dict[str, str] = {}

        def intern(text: str) -> str:
            text = well_formed(text)
            key = key_of(text)
            if not self._is_stored(key):
                texts[key] = text
            return REFERENCE + key

        self.write_body(json_of(encoded(fields_to_write(event), intern)), texts)

    def write_body(self, body: bytes, texts: Mapping[str, str]) -> None:
        """Append a line with these fields, as JSON; before it the texts that they refer to, by key, unless stored."""
        with self._lock:
            if self.failure:
                raise self.failure
            lines, previous = b"", self._previous
            new = [key for key in texts if not self._is_stored(key)]
            for key in new:
                stored = {"at_ms": now_ms(), "type": "text", "key": key, "text": texts[key]}
                line, previous = line_of(json_of(stored), previous)
                lines += line
            line, previous = line_of(body, previous, self._key)
            view = memoryview(lines + line)
            try:
                while view:
                    view = view[os.write(self._file, view) :]
            except OSError as error:
                self._fail(error)
            self._previous = previous
            self._references |= dict.fromkeys(new, 0)
            for reference in REFERENCES.findall(body):
                if (
                    key := reference.decode()
                ) in self._references:  # A script may print what reads like a reference.
                    self._references[key] += 1
            while len(self._references) > 20_000:
                del self._references[next(iter(self._references))]

    def _is_stored(self, key: str) -> bool:
        return self._references.get(key, MOST_REFERENCES) < MOST_REFERENCES

    def sync(self) -> None:
        """Flush everything written so far to the disk. Raises `JournalUnwritable`."""
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

    def _fail(self, error: OSError) -> None:
        msg = f"cannot write the journal {self.path}: {error.strerror}; {self.resume_hint}"
        self.failure = JournalUnwritable(msg)
        raise self.failure from error

    def discard(self) -> None:
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
        """Close the file, and remove it if empty: it would be taken for the latest run."""
        if self._file >= 0 and not os.fstat(self._file).st_size:
            self.discard()
        self.close()
