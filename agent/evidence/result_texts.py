"""The texts in what a call returned: fields of data, and running text.

A text is data by its form as a whole: JSON, YAML with nested entries, a table, one short value. The values of data are
not parsed again: a long one, or one of several lines, is running text, whatever it looks like.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import re2

from controlplane.sandbox.interface import bounds

MAX_FIELD_WORDS: Final = 8
"""Words of a field of data that is not running text yet; docs/provenance.md has the curve by which it was chosen."""
MAX_CELL_WORDS: Final = 4
"""Words of a cell of a table that is known only by its form."""
_DATA_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".tsv")
"""Names of files that say that they hold data."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML, by which a short text becomes a large value."""
_SEPARATORS: Final = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class ResultText:
    """One text of a result."""

    text: str
    is_data: bool
    """True for a field of data; false for running text."""
    path: str = ""
    """The file that it is a part of, as a search shows it; empty if it is the call's own."""


def texts_of_result(result: Mapping[str, Any], *, is_program: bool = False) -> list[ResultText]:
    """Return the texts of a call's result; each of its own fields may hold data as text.

    A program (`is_program`) may print `key: value` lines, as data; elsewhere such lines are as likely a mail.
    """
    texts: list[ResultText] = []
    for name, value in result.items():
        if isinstance(value, str):
            texts += _texts_of_text(value, is_program=is_program)
        else:
            texts += texts_of_data({name: value})
    return texts


def texts_of_file(path: str, text: str) -> list[ResultText]:
    """Return the texts of a file that was read: data if its name says so and it parses as a whole, or if each line of
    a part of it is short."""
    if not path.casefold().endswith(_DATA_SUFFIXES):
        return [ResultText(text, is_data=False, path=path)]
    data = _parsed_json(text)
    if data is None and path.casefold().endswith((".yaml", ".yml")):
        data = _parsed_yaml(text)
    if data is not None:
        return [ResultText(part.text, part.is_data, path) for part in texts_of_data(data)]
    lines = text.splitlines()
    return [ResultText(line, is_short(line), path) for line in lines if line.strip()]


def texts_of_data(data: object) -> list[ResultText]:
    """Return the texts, numbers and names in data, and the parts of files that a search shows in it, each once."""
    texts: dict[ResultText, None] = {}
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            texts[ResultText(item, is_short(item))] = None
        elif isinstance(item, Mapping):
            values = dict(item)
            for excerpt in _excerpts_of(values):
                texts[excerpt] = None
            waiting.extend(values)
            waiting.extend(values.values())
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            texts[ResultText(str(item), is_data=True)] = None
    return list(texts)


def _excerpts_of(values: dict[Any, Any]) -> Iterator[ResultText]:
    """Take the text of a file out of a mapping that names the file by `path`, and yield its parts."""
    path = values.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return
    for name in ("text", "content"):
        if isinstance(values.get(name), str):
            yield from texts_of_file(path, values.pop(name))


def _texts_of_text(text: str, *, is_program: bool) -> list[ResultText]:
    """Return a text of a result: the fields of its data if it is data as a whole."""
    data = _parsed_json(text)
    is_value = isinstance(data, str)
    if is_value:  # the value of a tool that returns a text, or a number by itself
        text = str(data)
        data = _parsed_json(text) if text.lstrip().startswith(("{", "[")) else None
    if data is None:
        data = _parsed_yaml(text)
    if data is None and is_program:
        data = _parsed_lines(text)
    if data is None:
        data = _parsed_table(text)
    if data is None:
        return [ResultText(text, is_value and is_short(text))]
    return texts_of_data(data)


def is_short(text: str) -> bool:
    """Say whether a field is a value, and not running text: one line of a few words."""
    return len(text.split()) <= MAX_FIELD_WORDS and len(text.splitlines()) <= 1


def _parsed_json(text: str) -> object:
    """Return the value of JSON; None if a text is none."""
    if not text.lstrip().startswith(("{", "[", '"', "-", *"0123456789")):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def _parsed_yaml(text: str) -> object:
    """Return the value of YAML as programs print it; None if the text is anything else.

    That is a list of mappings or of short values, a mapping with a list or mapping in it, or, in
    braces, any mapping, as Python prints one: `{'Luxury Palace': '1 Rue de la Paix'}`. Lines of
    `key: value` alone are as people write.
    """
    is_in_braces = text.lstrip().startswith("{") and text.rstrip().endswith("}")
    is_list = text.lstrip().startswith("- ")
    # An entry of several lines, or an empty one: nobody writes `shared_with: {}` in a mail.
    may_nest = any(mark in f"{text}\n" for mark in (":\n", ": {}\n", ": []\n"))
    if not (is_in_braces or is_list or may_nest):
        return None
    if len(text) > bounds.MOST_RECORD_CHARS or _YAML_ALIASES.search(text):
        return None
    import yaml  # slow to import, and few trials look up the origin of a value in such a text

    try:
        data = yaml.load(text, yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None

    if isinstance(data, list):
        return data if all(_is_entry(item) for item in data) else None
    if isinstance(data, dict):
        has_nested_entry = any(isinstance(item, list | dict) for item in data.values())
        return data if is_in_braces or has_nested_entry else None
    return None


def _is_entry(item: object) -> bool:
    """Say whether an item of a list is one of data: a mapping, or a value as short as a cell."""
    if isinstance(item, str):
        return len(item.split()) <= MAX_CELL_WORDS
    return isinstance(item, dict)


def _parsed_lines(text: str) -> object:
    """Return the keys and values of `key: value` lines, if each line is one; else None."""
    fields: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or len(key.split()) > MAX_CELL_WORDS:
            return None
        fields[key.strip()] = value.strip()
    return fields or None


def _parsed_table(text: str) -> object:
    """Return the cells of a table: several lines with as many separators each, and few words between two; else None."""
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
