"""One line of a journal: JSON that carries the hash of the line before and of its own other bytes.

A string of `LONG` characters or more is stored once, as a `text` event of its own; where it belongs stands `@text:` and
its key. A string that itself begins so is stored the same way, so that a reference is never mistaken.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic_core import PydanticSerializationError, from_json, to_json

LONG: Final = 200
REFERENCE: Final = "@text:"
GENESIS: Final = "0" * 32
"""What the first line carries as the hash of the line before."""

_ATOMS: Final = frozenset({int, float, bool, type(None)})
_TAIL: Final = re.compile(rb',"hash":"([0-9a-f]{32})"\}\Z')
_TAIL_BYTES: Final = len(',"hash":""}') + 32
_HEAD: Final = re.compile(rb'\{"prev":"([0-9a-f]{32})",')
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*"?')
_SURROGATE: Final = re.compile(rb"\\ud[89a-f]")


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
        # Asking whether it is a model is dear, and there is nothing else left that an event can hold.
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
    body = memoryview(line)[:-_TAIL_BYTES]
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
    text = _SURROGATE.sub(rb"\\u00", rest)  # this reader takes no lone surrogates
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
