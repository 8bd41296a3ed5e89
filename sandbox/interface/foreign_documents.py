"""The border to the parsers of JSON, TOML and YAML, for texts that anybody may have written.

A parser raises more than it says: `RecursionError` for 3,000 brackets, `OverflowError` for a date,
`IndexError` for `!!int ''`. Here each of them becomes `Unreadable`, a `ValueError` with one line:

    parse_toml("a = " + "[" * 3_000)    -> Unreadable: it is nested too deeply
    parse_yaml("a: &x [7]\\nb: [*x]")    -> {"a": [7], "b": [[7]]}

`parse_json` of `json_documents` is stricter: it also bounds how many values a document may have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import re2

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import well_formed

_MAX_KEY_PARTS: Final = 100
"""The most parts of a key of TOML: `a.b` has two. Python's parser takes four times as long for
twice as many, so a key of a few MB could keep it busy for hours."""
_MAX_EXPANDED_CHARS: Final = 1_000_000
"""The most characters of a YAML document with all its aliases written out, a few for each value."""
_MAX_INT_BITS: Final = 1_023
"""The most bits of an integer. A longer one is no float, and Python may refuse to write it."""
_SHOWN_NUL_CHARS: Final = 60
_NAME_IN_KEY: Final = r"""(?:[\w-]+|'[^'\n]*'|"(?:[^"\\\n]|\\.)*")"""
"""`name`, `'a name'` or `"a \\"name\\""`"""
_LONG_KEY: Final = re2.compile(rf"(?:{_NAME_IN_KEY}[ \t]*\.[ \t]*){{{_MAX_KEY_PARTS}}}")
"""The start of a key with too many parts: `a.b.c.d ...`."""


class Unreadable(ValueError):
    """A document cannot be read. The message says why in one line: `it is nested too deeply`."""


class NotToml(Unreadable):
    """A text is not TOML. The message ends with the place: `(at line 3, column 5)`."""


@contextmanager
def foreign_parser() -> Iterator[None]:
    """Convert whatever a parser raises for a foreign document to `Unreadable`."""
    try:
        yield
    except Unreadable:
        raise
    except RecursionError:
        msg = "it is nested too deeply"
        raise Unreadable(msg) from None
    except Exception as error:
        msg = " ".join(str(error).split())[: bounds.SHOWN_FAULT_CHARS]
        # Of an `IndexError`, the text "string index out of range" is about the parser.
        if isinstance(error, (LookupError, AttributeError, TypeError)) or not msg:
            msg = "it has a value that cannot be read"
        raise Unreadable(msg) from error


def read_json(text: str | bytes, **options: Any) -> Any:
    """Return the data of a JSON text as `json.loads` does, with its options. Raises `Unreadable`."""
    with foreign_parser():
        return json.loads(text, **options)


def parse_toml(
    text: str,
    *,
    most_bytes: int = bounds.MOST_TEXT_BYTES,
    refuses_nul: bool = False,
) -> dict[str, Any]:
    """Return the data of a TOML text: `a = 1` -> `{"a": 1}`. Raises `Unreadable`.

    `refuses_nul` refuses a NUL character, which no path, variable or argument of a program can have.
    """
    import tomllib

    with foreign_parser():
        is_too_long = len(text.encode(errors="replace")) > most_bytes
        if is_too_long or _LONG_KEY.search(well_formed(text)):
            msg = f"it has at most {most_bytes:,} bytes, and a key at most {_MAX_KEY_PARTS} parts"
            raise Unreadable(msg)
        try:
            data = tomllib.loads(text.removeprefix("\ufeff"))
        except tomllib.TOMLDecodeError as error:
            raise NotToml(str(error)) from error
        _check_values(data, refuses_nul=refuses_nul)
        return data


def parse_yaml(text: str, *, refuses_nul: bool = False) -> Any:
    """Return the data of a YAML text with plain values: `a: 1` -> `{"a": 1}`. Raises `Unreadable`.

    An alias is the same object as its anchor, so a text of 400 bytes can stand for gigabytes: they are
    needed once somebody writes the data out. Such a text is refused.
    """
    import yaml  # slow to import, and seldom needed

    with foreign_parser():
        loader = yaml.CSafeLoader(text)
        try:
            document = loader.get_single_node()
            if document is None:
                return None
            if _expanded_chars(document, {}) > _MAX_EXPANDED_CHARS:
                msg = f"with its aliases, it has more than {_MAX_EXPANDED_CHARS:,} characters"
                raise Unreadable(msg)
            data = loader.construct_document(document)
            _check_values(data, refuses_nul=refuses_nul)
            return data
        finally:
            loader.dispose()


def _expanded_chars(node: Any, known: dict[int, int]) -> int:
    """Return how many characters a node of YAML has at least with all its aliases written out.

    `known` has the numbers of nodes that were counted. A node within itself is refused.
    """
    size = known.get(id(node))
    if size is not None:
        return size
    known[id(node)] = (
        _MAX_EXPANDED_CHARS + 1
    )  # This is found if the node is within itself.
    size = 4  # two quotation marks or brackets, a comma and a blank
    if isinstance(node.value, str):
        size += len(node.value)
    else:
        for item in node.value:
            # An item of a mapping is a pair of nodes.
            for part in item if isinstance(item, tuple) else (item,):
                size += _expanded_chars(part, known)
    known[id(node)] = size
    return size


def _check_values(data: Any, *, refuses_nul: bool) -> None:
    """Raise `Unreadable` for an integer that cannot be used like other numbers, or a text with NUL."""
    waiting = [data]
    seen: set[int] = set()  # By aliases, a part of YAML may be in several places.
    while waiting:
        part = waiting.pop()
        if isinstance(part, int) and part.bit_length() > _MAX_INT_BITS:
            msg = "it has an integer of more than 300 digits"
            raise Unreadable(msg)
        if refuses_nul and isinstance(part, str) and "\0" in part:
            msg = f"it has a NUL character, in {part[:_SHOWN_NUL_CHARS]!r}"
            raise Unreadable(msg)
        if isinstance(part, (dict, list, tuple, set)) and id(part) not in seen:
            seen.add(id(part))
            waiting += part
            if isinstance(part, dict):
                waiting += part.values()
