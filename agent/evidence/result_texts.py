"""Splits the result of a call into fields of data and running text.

A text is data if the whole text has a form of data: JSON, YAML with nested entries, a
table, or one short value in quotation marks. Its values are not parsed again. A value
that is long, or that has several lines, is running text, even if it looks like data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import re2

from controlplane.sandbox.interface import bounds

MAX_FIELD_WORDS: Final = 8
"""The longest field of data, in words. Longer values are running text.
docs/provenance.md has the measurements."""
MAX_CELL_WORDS: Final = 4
"""The longest cell of a table, key of a line or item of a list, in words. This is
stricter than `MAX_FIELD_WORDS`, because running text may look like a table by
chance."""
_DATA_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".tsv")
"""Extensions of data files."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML. They let a short text expand to a huge value, so it is
not parsed."""
_SEPARATORS: Final = (",", ";", "\t", "|")
"""The separators between the cells of a table."""
_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""


@dataclass(frozen=True, slots=True)
class ResultText:
    """One text of a result."""

    text: str
    is_data: bool
    """True for a field of data. False for running text."""
    path: str = ""
    """The file that has the text, for example in a search's result. Empty if there is
    none."""


def texts_of_result(
    result: Mapping[str, Any], *, is_program: bool = False
) -> list[ResultText]:
    """Return the texts of a call's result. A text in one of its fields may be data,
    such as JSON.

    Lines of `key: value` are data only if a program printed them (`is_program`). In
    other results they may also be the head of a mail: `To: Emma`.
    """
    texts: list[ResultText] = []
    for name, value in result.items():
        if isinstance(value, str):
            texts += _texts_of_text(value, is_program=is_program)
        else:
            texts += texts_of_data({name: value})
    return texts


def texts_of_file(path: str, text: str) -> list[ResultText]:
    """Return the texts of a file that was read.

    They are fields of data if the file's name has an extension of data, and the text
    parses as a whole. A part of such a file does not parse: each of its short lines
    counts as a field.
    """
    if not path.casefold().endswith(_DATA_SUFFIXES):
        return [ResultText(text, is_data=False, path=path)]
    data = _parsed_json(text)
    if data is None and path.casefold().endswith((".yaml", ".yml")):
        data = _parsed_yaml(text)
    if data is not None:
        return [
            ResultText(part.text, part.is_data, path) for part in texts_of_data(data)
        ]
    lines = text.splitlines()
    return [ResultText(line, is_short(line), path) for line in lines if line.strip()]


def texts_of_data(data: object) -> list[ResultText]:
    """Return the texts, numbers and names in data, each once.

    An object with a `path` has text of that file: `{"path": "/a.md", "text": "fee"}`.
    """
    texts: dict[ResultText, None] = {}  # used as an ordered set
    waiting = [data]  # used as a stack
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            texts[ResultText(item, is_short(item))] = None
        elif isinstance(item, Mapping):
            texts.update(dict.fromkeys(_texts_of_file_in(item)))
            values = _without_texts_of_file(item)
            waiting.extend(values)  # the names
            waiting.extend(values.values())
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            texts[ResultText(str(item), is_data=True)] = None
    return list(texts)


def _names_of_file_texts(values: Mapping[Any, Any]) -> list[str]:
    """Return the names of the fields that have text of the file with the field `path`.

    `{"path": "/a.md", "line": 3, "text": "fee"}` -> `text`
    """
    path = values.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return []
    return [name for name in ("text", "content") if isinstance(values.get(name), str)]


def _texts_of_file_in(values: Mapping[Any, Any]) -> Iterator[ResultText]:
    """Yield the texts of the file that a mapping is about, if it has any."""
    for name in _names_of_file_texts(values):
        yield from texts_of_file(values["path"], values[name])


def _without_texts_of_file(values: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a mapping without the fields whose texts `_texts_of_file_in` yields."""
    file_texts = _names_of_file_texts(values)
    return {name: value for name, value in values.items() if name not in file_texts}


def _texts_of_text(text: str, *, is_program: bool) -> list[ResultText]:
    """Return a text of a result. If the whole text is data, return the fields of the
    data."""
    # 1. The text is one JSON value: a number, or a text in quotation marks, which may have data.
    parsed = _parsed_json(text)
    if isinstance(parsed, str):
        inner_data = None
        if parsed.lstrip().startswith(("{", "[")):
            inner_data = _parsed_json(parsed)
        if inner_data is None:
            inner_data = _parsed_without_json(parsed, is_program=is_program)
        if inner_data is None:
            return [ResultText(parsed, is_data=is_short(parsed))]
        return texts_of_data(inner_data)

    # 2. The text is data in JSON or in another form, or running text.
    data = parsed
    if data is None:
        data = _parsed_without_json(text, is_program=is_program)
    if data is None:
        return [ResultText(text, is_data=False)]
    return texts_of_data(data)


def _parsed_without_json(text: str, *, is_program: bool) -> object:
    """Return the data of a text that is YAML, a table, or lines that a program printed,
    or None."""
    data = _parsed_yaml(text)
    if data is None and is_program:
        data = _parsed_lines(text)
    if data is None:
        data = _parsed_table(text)
    return data


def is_short(text: str) -> bool:
    """Return True if a field of data is one line of a few words. Otherwise it is
    running text."""
    return len(text.split()) <= MAX_FIELD_WORDS and len(text.splitlines()) <= 1


def _parsed_json(text: str) -> object:
    """Return the value of a JSON text, with numbers as texts; None if a text is not
    JSON."""
    if not text.lstrip().startswith(_JSON_BEGINNINGS):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _parsed_yaml(text: str) -> object:
    """Return the value of a YAML text that a program printed; None for any other text.

    A YAML text counts as printed by a program if it is one of these:
    - a list of mappings or of short values,
    - a mapping that has a list or a mapping in it,
    - a mapping in braces, as Python prints it: `{'Luxury Palace': '1 Rue de la Paix'}`.

    Simple lines of `key: value` do not count, because a mail may have them.
    """
    # 1. Look for signs of these forms, because parsing is slow.
    is_in_braces = text.lstrip().startswith("{") and text.rstrip().endswith("}")
    is_list = text.lstrip().startswith("- ")
    # A line that ends in a colon begins a nested entry, and `shared_with: {}` is an
    # empty one.
    may_nest = any(mark in f"{text}\n" for mark in (":\n", ": {}\n", ": []\n"))
    if not (is_in_braces or is_list or may_nest):
        return None

    # 2. Parse the text.
    if len(text) > bounds.MOST_RECORD_CHARS or _YAML_ALIASES.search(text):
        return None
    import yaml  # slow to import, and few trials look up the origin of a value in such a text

    try:
        data = yaml.load(text, yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None

    # 3. Test if it really has one of the forms.
    if isinstance(data, list):
        return data if all(_is_entry(item) for item in data) else None
    if isinstance(data, dict):
        has_nested_entry = any(isinstance(item, list | dict) for item in data.values())
        return data if is_in_braces or has_nested_entry else None
    return None


def _is_entry(item: object) -> bool:
    """Return True if an item of a list is data: a mapping, or a value as short as a
    cell."""
    if isinstance(item, str):
        return len(item.split()) <= MAX_CELL_WORDS
    return isinstance(item, dict)


def _parsed_lines(text: str) -> object:
    """Return the keys and values if all lines are `key: value` lines; otherwise
    None."""
    fields: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or len(key.split()) > MAX_CELL_WORDS:
            return None
        fields[key.strip()] = value.strip()
    return fields or None


def _parsed_table(text: str) -> object:
    """Return the cells of a table; None if a text is not a table.

    A table has two or more lines, the same number of separators in each line, and short
    cells.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    for separator in _SEPARATORS:
        count = lines[0].count(separator)
        if count and all(line.count(separator) == count for line in lines):
            rows = [line.split(separator) for line in lines]
            cells = [cell.strip() for row in rows for cell in row]
            if all(len(cell.split()) <= MAX_CELL_WORDS for cell in cells):
                return cells
    return None
