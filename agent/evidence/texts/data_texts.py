"""The texts of a call's result, each as running text or as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import re2

from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    foreign_parser,
    read_json,
)

# Parses texts that are data, such as JSON or a table, and not sentences.
#
# The author of sentences, such as a mail, may give a model false orders. Data does not.

# Loads texts that may be JSON or YAML, without harm by texts that are made to be expensive.
#
# A text from outside may be nested too deeply, or have aliases, by which a short YAML text expands to
# a huge value. Such texts are not loaded. Numbers stay texts, as they are written:
#
#     _loaded_json('{"fees": [7, 1.50]}')     -> {"fees": ["7", "1.50"]}
#     loaded_yaml("fees: [7, 1.50]")         -> {"fees": ["7", "1.50"]}
#     loaded_yaml("a: &x [7]\nb: [*x, *x]")  -> None

_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""
_YAML_ALIASES: Final = re2.compile(r"(?m)(?:^|[\s:\-\[{,])[&*][\pL\pN_]")
"""Anchors and aliases of YAML: `&x`, `*x`."""


def _loaded_json(text: str) -> object:
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

_MAX_CELL_WORDS: Final = 4
"""The longest cell of a table, key of a line or item of a list, in words. Two sentences with
one comma each look like a table, but their parts have more words than this."""
_ENDS_OF_NESTED_ENTRIES: Final = (":\n", ": {}\n", ": []\n")
"""How the line ends that begins a nested entry, `fees:`, or that has an empty one, `fees: {}`."""


def _parsed_yaml(text: str) -> object:
    """Return the value of a YAML text in one of three forms that running text does not have.

    - a list of mappings or of short values,
    - a mapping that has a list or a mapping in it,
    - a mapping in braces, as Python prints it: `{'Luxury Palace': '1 Rue de la Paix'}`.

    Return None for all others, such as simple lines of `key: value`.
    """
    # A quick look at the text, because to load it is slow.
    is_in_braces = text.lstrip().startswith("{") and text.rstrip().endswith("}")
    is_list = text.lstrip().startswith("- ")
    is_nested = any(end in f"{text}\n" for end in _ENDS_OF_NESTED_ENTRIES)
    if not is_in_braces and not is_list and not is_nested:
        return None
    data = _loaded_yaml(text)
    if isinstance(data, list):
        # Each item is a mapping, or a value as short as a cell.
        for item in data:
            is_short = isinstance(item, str) and len(item.split()) <= _MAX_CELL_WORDS
            if not is_short and not isinstance(item, dict):
                return None
        return data
    if isinstance(data, dict):
        has_nested_entry = any(isinstance(item, list | dict) for item in data.values())
        return data if is_in_braces or has_nested_entry else None
    return None


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


def _parsed_file(path: str, text: str) -> object:
    """Return the value of a data file, or of a part of it, that is JSON or YAML; otherwise None."""
    data = _loaded_json(text)
    if data is None and path.casefold().endswith(_YAML_SUFFIXES):
        data = _parsed_yaml(text)
    return data


# Returns the texts in data, such as the fields of a result.
#
# Each text is either a *field* of data, which has a few words, or *running text*, such as a mail that
# an attacker may have written. Data may have text of a file in it, as in the result of a search. Then
# the file decides: that of `/a.md` is running text, and that of `/a.csv` has fields:
#
# | data | texts |
# |---|---|
# | `[null, true]` | none |
# | `{"fee": [7, "late"]}` | the fields `fee`, `7` and `late` |
# | `{"path": "/a.md", "text": "Pay 7"}` | `Pay 7`, running text of the file; `path`, `/a.md` |
# | `{"path": "/a.csv", "text": "Ann;7"}` | `Ann;7`, a field of the file; `path`, `/a.csv` |

# One text in the result of a call: a field of data, or running text.
#
# Running text, such as a mail, may be by an attacker, and tell the model what to do: "please pay 420
# to GB33". A field of a database does not. So each text of a result says which of the two it is:
#
# | text | is |
# |---|---|
# | a short value: `DE12` in `{"iban": "DE12"}` | a field of data |
# | a long one: `Dear Ann, …` | running text |

MAX_FIELD_WORDS: Final = 8
"""The longest field of data, in words. Longer values are
running text. docs/provenance.md has the measurements."""


@dataclass(frozen=True, slots=True)
class ResultText:
    """One text of a result."""

    text: str
    is_data: bool
    """True for a field of data. False for running text."""
    path: str = ""
    """The file that has the text, for example in a search's result. Empty if there is none."""


def _is_field(value: str) -> bool:
    """Return True if a value within data is a field: one line of a few words.

    A longer value is running text.
    """
    return len(value.split()) <= MAX_FIELD_WORDS and len(value.splitlines()) <= 1


def texts_of_data(data: object) -> list[ResultText]:
    """Return the texts, numbers and names in data, each once."""
    texts: list[ResultText] = []
    known_strings = set[str]()  # Records repeat the names of their fields many times.
    # The parts that are still to be read, the next one last. (This is not a recursion, since data
    # may be nested more deeply than Python allows for one.) The items of a list are read in order,
    # and the fields of a mapping from the last to the first, since their order means nothing.
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if part is None or isinstance(part, bool):
            continue
        if isinstance(part, str):
            if part not in known_strings:
                known_strings.add(part)
                texts.append(ResultText(part, _is_field(part)))
        elif isinstance(part, list | tuple):
            waiting += reversed(part)
        elif isinstance(part, Mapping):
            file_texts = _file_texts_in(part)
            for text in file_texts.values():
                texts += texts_of_file(part["path"], text)
            others = {name: part[name] for name in part if name not in file_texts}
            # A name is a text as well: in `{"DE12": 420}`, it is the account.
            waiting += [*others, *others.values()]
        else:  # a number
            texts.append(ResultText(str(part), is_data=True))
    return list(dict.fromkeys(texts))  # each once


def _file_texts_in(item: Mapping[Any, Any]) -> dict[str, str]:
    """Return the fields of an item that have text of the file at its `path`.

    `{"path": "/a.md", "line": 3, "text": "Pay 7"}` -> `{"text": "Pay 7"}`
    """
    path = item.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return {}
    texts: dict[str, str] = {}
    for name in ("text", "content"):
        if isinstance(item.get(name), str):
            texts[name] = item[name]
    return texts


def texts_of_file(path: str, text: str) -> list[ResultText]:
    """Return the texts of a file that was read: fields of data, or running text.

    The values in a data file are fields. If it is not JSON or YAML, or only a part of the file was
    read, each short line is one. Any other file is running text as a whole.
    """
    if not is_data_file(path):
        return [ResultText(text, is_data=False, path=path)]
    data = _parsed_file(path, text)
    if data is None:
        lines = filter(str.strip, text.splitlines())
        return [ResultText(line, _is_field(line), path) for line in lines]
    return [ResultText(part.text, part.is_data, path) for part in texts_of_data(data)]


# Splits the result of a call into texts: fields of data, and running text.
#
# Running text, such as a mail, may be by an attacker, and tell the model what to do, so the two are
# told apart. A field of the result may have JSON or a table as its text:
#
#     {"result": '{"iban": "DE12"}'}   -> the fields `iban` and `DE12`
#     {"result": "Dear Ann, …"}        -> `Dear Ann, …`, running text
#     {"result": "To: Emma"}           -> `To: Emma`, running text: it may be the head of a mail

# Parses lines of keys and values, and tables, as programs and files have them.
#
# | text | data |
# | --- | --- |
# | `fee: 7`, and in the next line `due: May` | `{"fee": "7", "due": "May"}` |
# | `name;fee`, and in the next line `Ann;7` | `["name", "fee", "Ann", "7"]` |
# | `Dear Ann, please pay.` | None: this is running text |

_SEPARATORS: Final = (",", ";", "\t", "|")
"""The separators between the cells of a table."""


def _parsed_lines(text: str) -> object:
    """Return the keys and values that a program printed, one pair in each line.

    `fee: 7` and in the next line `due: May` -> `{"fee": "7", "due": "May"}`. Return None for
    a text with any other line.
    """
    fields: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or len(key.split()) > _MAX_CELL_WORDS:
            return None
        fields[key.strip()] = value.strip()
    return fields or None


def _parsed_table(text: str) -> object:
    """Return the cells of a table; None if a text is not a table.

    A table has two or more lines of short cells, with equally many separators in each line:
    `name;fee` and in the next line `Ann;7` -> `["name", "fee", "Ann", "7"]`.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    for separator in _SEPARATORS:
        count = lines[0].count(separator)
        if count == 0 or any(line.count(separator) != count for line in lines):
            continue
        cells = [cell.strip() for line in lines for cell in line.split(separator)]
        if all(len(cell.split()) <= _MAX_CELL_WORDS for cell in cells):
            return cells
    return None


# Parses texts that are data as a whole, and not sentences.
#
# Sentences, such as those of a mail, may give a model false orders. Data does not, so it is told
# apart by its form:
#
# | form | example |
# | --- | --- |
# | JSON | `{"fee": 7}` |
# | YAML with nested entries | `fees:`, and in the next line `- 7` |
# | lines that a program printed | `fee: 7` |
# | a table | `name;fee`, and in the next line `Ann;7` |
#
# Numbers stay texts, as they are written: the 7 of the JSON becomes `"7"`.


def _parsed_data(text: str, *, is_program_output: bool) -> object:
    """Return the data in a text of any form; None if it is running text.

    | text | data |
    | --- | --- |
    | `fee: 7` | None: it may be the head of a mail |
    | `fee: 7`, if a program printed it (`is_program_output`) | `{"fee": "7"}` |
    | `{"fee": 7}` | `{"fee": "7"}` |
    | `"{\\"fee\\": 7}"`, a JSON string with JSON in it | `{"fee": "7"}` |
    | `"Dear Ann"`, any other JSON string, or a number | `Dear Ann` |
    """
    loaded = _loaded_json(text)
    data = loaded
    if isinstance(
        loaded, str
    ):  # a JSON string or a number, which may have an object or a list in it
        text = loaded
        has_brackets = text.lstrip().startswith(("{", "["))
        data = _loaded_json(text) if has_brackets else None
    if data is None:
        data = _parsed_yaml(text)
    if data is None and is_program_output:
        data = _parsed_lines(text)
    if data is None:
        data = _parsed_table(text)
    return loaded if data is None else data


def texts_of_result(
    result: Mapping[str, Any], *, is_program_output: bool = False
) -> list[ResultText]:
    """Return the texts of a result.

    Lines such as `To: Emma` are data if a program printed them (`is_program_output`).
    """
    texts: list[ResultText] = []
    for name, value in result.items():
        if not isinstance(value, str):
            texts += texts_of_data({name: value})
            continue
        data = _parsed_data(value, is_program_output=is_program_output)
        if data is None:
            texts.append(ResultText(value, is_data=False))
        else:
            texts += texts_of_data(data)
    return texts
