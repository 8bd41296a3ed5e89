"""Parses texts that are data, such as JSON or a table, and not sentences.

The author of sentences, such as a mail, may give a model false orders. Data does not.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    foreign_parser,
    read_json,
)

# Loads texts that may be JSON or YAML, without harm by texts that are made to be expensive.
#
# A text from outside may be nested too deeply, or have aliases, by which a short YAML text expands to
# a huge value. Such texts are not loaded. Numbers stay texts, as they are written:
#
#     loaded_json('{"fees": [7, 1.50]}')     -> {"fees": ["7", "1.50"]}
#     loaded_yaml("fees: [7, 1.50]")         -> {"fees": ["7", "1.50"]}
#     loaded_yaml("a: &x [7]\nb: [*x, *x]")  -> None

_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML: `&x`, `*x`."""


def loaded_json(text: str) -> object:
    """Return the value of a JSON text; None if a text is not JSON, or is nested too deeply."""
    if not text.lstrip().startswith(_JSON_BEGINNINGS):
        return None
    try:
        return read_json(text, parse_int=str, parse_float=str)
    except Unreadable:
        return None


def _loaded_yaml(text: str) -> object:
    """Return the value of a YAML text; None if it is long, has aliases, or is not YAML."""
    if len(text) > bounds.MOST_RECORD_CHARS:
        return None
    # RE2 refuses half of a surrogate pair. `encodable` replaces it by `?`.
    if _YAML_ALIASES.search(encodable(text)):
        return None
    import yaml  # slow to import, and seldom needed

    try:
        with foreign_parser():
            return yaml.load(text, yaml.CBaseLoader)
    except Unreadable:
        return None


# Parses texts that are YAML in a form that running text does not have.
#
# The list `- {name: Ann, fee: 7}` is data. A single line `fee: 7` is valid YAML, too, but it may be
# the head of a mail, whose author may give a model false orders. So it is not parsed.

MAX_CELL_WORDS: Final = 4
"""The longest cell of a table, key of a line or item of a list, in words. Two sentences with
one comma each look like a table, but their parts have more words than this."""
_ENDS_OF_NESTED_ENTRIES: Final = (":\n", ": {}\n", ": []\n")
"""How the line ends that begins a nested entry, `fees:`, or that has an empty one, `fees: {}`."""


def parsed_yaml(text: str) -> object:
    """Return the value of a YAML text in one of three forms that running text does not have.

    - a list of mappings or of short values,
    - a mapping that has a list or a mapping in it,
    - a mapping in braces, as Python prints it: `{'Luxury Palace': '1 Rue de la Paix'}`.

    Return None for all others, such as simple lines of `key: value`.
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
    is_list = text.lstrip().startswith("- ")
    return is_list or any(end in f"{text}\n" for end in _ENDS_OF_NESTED_ENTRIES)


def _is_entry(item: object) -> bool:
    """Return True if an item of a list is data: a mapping, or a value as short as a cell."""
    if isinstance(item, str):
        return len(item.split()) <= MAX_CELL_WORDS
    return isinstance(item, dict)


# Tells by their names which files have data, and parses them.
#
# A file such as `/mail.md` is running text, whose author may give a model false orders. A file such
# as `/fees.csv` has data:
#
# | file | text | value |
# |---|---|---|
# | `/fees.json` | `{"fee": 7}` | `{"fee": "7"}` |
# | `/fees.YML` | `- {fee: 7}` | `[{"fee": "7"}]` |
# | `/fees.csv` | `name;fee` | None: its lines are read one by one |

_YAML_SUFFIXES: Final = (".yaml", ".yml")
_DATA_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", *_YAML_SUFFIXES)


def is_data_file(path: str) -> bool:
    """Return True if a file has data, by the extension of its name."""
    return path.casefold().endswith(_DATA_SUFFIXES)


def parsed_file(path: str, text: str) -> object:
    """Return the value of a data file, or of a part of it, that is JSON or YAML; otherwise None."""
    data = loaded_json(text)
    if data is None and path.casefold().endswith(_YAML_SUFFIXES):
        data = parsed_yaml(text)
    return data
