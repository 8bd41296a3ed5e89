"""Parses texts that are data as a whole, and not sentences.

Sentences, such as those of a mail, may give a model false orders. Data does not, so it is told
apart by its form:

| form | example |
| --- | --- |
| JSON | `{"fee": 7}` |
| YAML with nested entries | `fees:`, and in the next line `- 7` |
| lines that a program printed | `fee: 7` |
| a table | `name;fee`, and in the next line `Ann;7` |

Each function returns None for a text that is not of its form.
"""

from __future__ import annotations

import json
from typing import Final

import re2

from controlplane.sandbox.interface import bounds

MAX_CELL_WORDS: Final = 4
"""The longest cell of a table, key of a line or item of a list, in words. Two sentences with
one comma each look like a table, but their parts have more words than this."""
_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML. They let a short
text expand to a huge value, so it is not parsed."""
_SEPARATORS: Final = (",", ";", "\t", "|")
"""The separators between the cells of a table."""


def parsed_data(text: str, *, is_program_output: bool) -> object:
    """Return the data in a text of any form; None if it is running text.

    Lines of `key: value` are data only if a program printed them (`is_program_output`).
    """
    data = parsed_json(text)
    if data is None:
        return _parsed_without_json(text, is_program_output=is_program_output)
    if not isinstance(data, str):
        return data
    # The JSON is a single text or number. This text may be data in turn: `"{\"fee\": 7}"`.
    inner_data = _parsed_inner_data(data, is_program_output=is_program_output)
    return data if inner_data is None else inner_data


def _parsed_inner_data(text: str, *, is_program_output: bool) -> object:
    """Return the data in the single text of a JSON text; None if it is running text."""
    # JSON that begins otherwise would be a single text or number again.
    if text.lstrip().startswith(("{", "[")):
        data = parsed_json(text)
        if data is not None:
            return data
    return _parsed_without_json(text, is_program_output=is_program_output)


def _parsed_without_json(text: str, *, is_program_output: bool) -> object:
    """Return the data in a text that is YAML, lines of a program or a table."""
    data = parsed_yaml(text)
    if data is None and is_program_output:
        data = _parsed_lines(text)
    if data is None:
        data = _parsed_table(text)
    return data


def parsed_json(text: str) -> object:
    """Return the value of a JSON text. Numbers are texts in it: `[7, "a"]` -> `["7", "a"]`."""
    if not text.lstrip().startswith(_JSON_BEGINNINGS):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None


def parsed_yaml(text: str) -> object:
    """Return the value of a YAML text in one of the forms that running text does not have:

    - a list of mappings or of short values,
    - a mapping that has a list or a mapping in it,
    - a mapping in braces, as Python prints it: `{'Luxury Palace': '1 Rue de la Paix'}`.

    Return None for all others, such as simple lines of `key: value`: they may be the head
    of a mail.
    """
    is_in_braces = text.lstrip().startswith("{") and text.rstrip().endswith("}")
    if not is_in_braces and not _may_have_entries(text):
        return None
    data = _loaded_yaml(text)
    if isinstance(data, list):
        return data if all(_is_entry(item) for item in data) else None
    if isinstance(data, dict):
        has_nested_entry = any(isinstance(item, list | dict) for item in data.values())
        return data if is_in_braces or has_nested_entry else None
    return None


def _may_have_entries(text: str) -> bool:
    """Return True if a text may be a YAML list, or a mapping with nested entries.

    This is a quick look at the text, because to load it is slow.
    """
    # A list has an item in its first line.
    if text.lstrip().startswith("- "):
        return True
    # The line before a nested entry ends in a colon: `fees:`. An empty entry looks like
    # `fees: {}`.
    return any(end in f"{text}\n" for end in (":\n", ": {}\n", ": []\n"))


def _loaded_yaml(text: str) -> object:
    """Return the value of a YAML text; None if it is long, has aliases, or is not YAML."""
    if len(text) > bounds.MOST_RECORD_CHARS or _YAML_ALIASES.search(text):
        return None
    import yaml  # slow to import, and seldom needed

    try:
        return yaml.load(text, yaml.CBaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _is_entry(item: object) -> bool:
    """Return True if an item of a list is data: a mapping, or a value as short as a cell."""
    if isinstance(item, str):
        return len(item.split()) <= MAX_CELL_WORDS
    return isinstance(item, dict)


def _parsed_lines(text: str) -> object:
    """Return the keys and values if a program printed them, one pair in each line: `fee: 7`."""
    fields: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or len(key.split()) > MAX_CELL_WORDS:
            return None
        fields[key.strip()] = value.strip()
    return fields or None


def _parsed_table(text: str) -> object:
    """Return the cells of a table; None if a text is not a table.

    A table has two or more lines of short cells, with equally many separators in each.
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
