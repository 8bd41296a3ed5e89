"""The lines of journals, chained by hashes.

Each line is a JSON object. It begins with the hash of the line before, and ends with
its own hash:

    {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…","hash":"2c3d…"}
    {"prev":"2c3d…","at_ms":1764300000001,"type":"step",…,"hash":"4e5f…","mark":"6a7b…"}

Each line of an event ends with a mark: a signature with the user's secret key. Anybody
can write a chain of hashes, but only the owner of the key can write a mark. A mark also
covers all earlier lines, because a line's hash depends on them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import re2
from pydantic_core import PydanticSerializationError, to_json

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_files import lines_of, open_to_read
from controlplane.journal.state_files import own_key
from controlplane.sandbox.interface import well_formed

GENESIS: Final = "0" * 32
"""The `prev` of the first line, which has no line before it."""

# A line ends with the hash of its fields. The line of an event also has a mark, made
# from the same digest. Both have 32 hexadecimal digits:
#
#     {"prev":"0a1b…","at_ms":5,"type":"step"   ,"hash":"4e5f…"   ,"mark":"6a7b…"   }
#     the fields                                the hash          the mark
_HASH_BYTES: Final = len(',"hash":""') + 32
_MARK_BYTES: Final = len(',"mark":""') + 32
_MARK_AND_BRACE: Final = re2.compile(rb',"mark":"[0-9a-f]{32}"\}')
"""What follows the hash in a line with a mark: `,"mark":"6a7b…"}`."""


class _ChainedLine(NamedTuple):
    """A line of a journal, ready to be written."""

    line: bytes
    """The line with its newline."""
    own_hash: str
    """Its hash, which the next line names as `prev`."""


def line_of(fields: bytes, previous: str, key: bytes | None = None) -> _ChainedLine:
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
    return _ChainedLine(line + b"}\n", own_hash)


def _short_hex(digest: bytes) -> str:
    """Return the first half of a digest as 32 hexadecimal digits."""
    return digest[:16].hex()


def _mark(digest: bytes, key: bytes) -> bytes:
    """Return the mark of a line: an HMAC of the digest of its fields."""
    return _short_hex(hmac.digest(key, digest, "sha256")).encode()


def json_of(fields: object) -> bytes:
    """Return encoded fields as JSON in ASCII, without spaces: `{"a": "é"}` -> `b'{"a":"\\u00e9"}'`.

    Half of a surrogate pair becomes U+FFFD, as it does when a journal is read.
    """
    try:
        return to_json(fields, ensure_ascii=True)  # four times as fast as `json`
    except PydanticSerializationError:  # half of a surrogate pair
        whole = well_formed(json.dumps(fields, ensure_ascii=False))
        return json.dumps(json.loads(whole), separators=(",", ":")).encode()


def _end_of_fields(line: bytes) -> int:
    """Return the index at which a line's hash begins: `,"hash":"…`. `line` has no newline.

    Hash and mark have a fixed length, so the index is counted from the line's end. In a
    damaged line, something else may be there.
    """
    index_if_unmarked = len(line) - _HASH_BYTES - len("}")
    if line.startswith(b',"hash":"', index_if_unmarked):
        return index_if_unmarked
    return index_if_unmarked - _MARK_BYTES


class _LineCheck(NamedTuple):
    """What the check of a line found: its hash, by which the next line continues, and its mark."""

    own_hash: str
    """The hash that the line carries."""
    is_marked: bool
    """True if it carries the mark of the given key."""


def checked_hash(line: bytes, previous: str, key: bytes | None = None) -> _LineCheck:
    """Check that `line` continues the chain after the line whose hash is `previous`.

    The form of a line, which has no newline here, with and without a mark:

        {"prev":"0a1b…",FIELDS,"hash":"4e5f…"}
        {"prev":"0a1b…",FIELDS,"hash":"4e5f…","mark":"6a7b…"}

    Raises `ValueError` if its `prev` is not `previous`, or if its hash does not match its
    fields. Another user's mark is no error. Without `key`, no mark is compared.
    """
    if not line.startswith(b'{"prev":"%b",' % previous.encode()):
        msg = "it does not follow the line before it"
        raise ValueError(msg)

    end = _end_of_fields(line)
    digest = hashlib.sha256(memoryview(line)[:end]).digest()
    own_hash = _short_hex(digest)
    has_own_hash = line.startswith(b',"hash":"%b"' % own_hash.encode(), end)
    after_hash = line[end + _HASH_BYTES :]
    is_unmarked = after_hash == b"}"
    if not has_own_hash or not (is_unmarked or _MARK_AND_BRACE.fullmatch(after_hash)):
        msg = "its bytes do not match its hash"
        raise ValueError(msg)

    if is_unmarked or key is None:
        return _LineCheck(own_hash, is_marked=False)
    mark_and_brace = b',"mark":"%b"}' % _mark(digest, key)
    return _LineCheck(own_hash, hmac.compare_digest(after_hash, mark_and_brace))


# The first fields of a journal's lines, found without parsing the lines.
#
# Every line begins with the same fields in the same order:
#
#     {"prev":"0a1b…","at_ms":1764300000000,"type":"call","trial_id":"t-1",…,"hash":"2c3d…"}
#     {"prev":"0a1b…","at_ms":1764300000000,"type":"text","key":"9f8e…","text":"…","hash":"2c3d…"}
#
# Parsing a line takes many times as long, and often only these fields are needed.

_JSON_STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'  # "t-1", or with escapes: "t\u00e91"
_HEAD: Final = re2.compile(
    rb'\{"prev":"[0-9a-f]{32}"'
    rb',"at_ms":(\d{1,15})'
    rb',"type":"([a-z_]+)"'
    rb'(?:,"trial_id":(' + _JSON_STRING + rb"))?"
)
_TEXT: Final = re2.compile(rb',"key":"([0-9a-f]{32})","text":["{]')
"""Matches the key in a stored text's line, from after the type: `,"key":"9f8e…","text":"`. In place
of a text may be data, such as the result of a call: `,"key":"9f8e…","text":{`."""


class LineHead(NamedTuple):
    """The first fields of a line."""

    at_ms: int
    event_type: bytes
    trial: bytes
    """The trial's id as JSON, with its quotation marks;
    empty for an event of the run as a whole."""
    end: int
    """The index of the first byte after these fields."""


def head_of(line: bytes) -> LineHead | None:
    """Return the first fields of a line; None if it does not have the form of a journal's line."""
    match = _HEAD.match(line)
    if match is None:
        return None
    at_ms, event_type, trial = match.groups(b"")
    return LineHead(int(at_ms), event_type, trial, match.end())


def text_key(line: bytes, head: LineHead) -> bytes | None:
    """Return the key in a line of type `text`; None if the line has another form."""
    match = _TEXT.match(line, head.end)
    return None if match is None else match[1]


def stored_json(line: bytes) -> bytes:
    """Return the JSON of the text or the data in a line of type `text`.

    It is that of an empty text if the line has another form.
    """
    head = head_of(line)
    match = None if head is None else _TEXT.match(line, head.end)
    if match is None:
        return b'""'
    first = match.end() - 1  # the quotation mark, or the brace
    return line[first : _end_of_fields(line.rstrip(b"\n"))]


# Tells whether a journal is this user's own, by the mark (a signature) on its last event.


def ends_with_mark(path: Path) -> bool:
    """Return True if a journal's hashes are intact and its last event has this user's mark.

    The mark is a signature with the user's key. Without a key, nothing tells this
    user's journals from others, so the result is True for every readable file.
    """
    key = own_key()
    with suppress(ControlPlaneError, ValueError), open_to_read(path) as file:
        return key is None or _last_event_is_signed(file, key)
    return False


def _last_event_is_signed(file: BinaryIO, key: bytes) -> bool:
    """Return True if `key` signed the last complete line of an event.

    Lines of stored texts have no mark. One is the last line if the process was killed, or the
    disk was full, before the event that refers to it.

    Raises `ValueError` if the chain of hashes is broken. The whole chain is checked,
    because a signed line may be a copy from another journal.
    """
    previous = GENESIS
    is_signed = False
    for line in lines_of(file):
        if line.endswith(b"\n"):
            previous, line_is_signed = checked_hash(line[:-1], previous, key)
            head = head_of(line)
            if head is None or head.event_type != b"text":
                is_signed = line_is_signed
    return is_signed
