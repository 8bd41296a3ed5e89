"""Splits the result of a call into texts: fields of data, and running text.

Running text, such as a mail, may be by an attacker, and tell the model what to do, so the two are
told apart. A field of the result may have JSON or a table as its text:

    {"result": '{"iban": "DE12"}'}   -> the fields `iban` and `DE12`
    {"result": "Dear Ann, …"}        -> `Dear Ann, …`, running text
    {"result": "To: Emma"}           -> `To: Emma`, running text: it may be the head of a mail
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controlplane.agent.evidence.texts.data import (
    MAX_CELL_WORDS,
    loaded_json,
    parsed_yaml,
)
from controlplane.agent.evidence.texts.data_texts import ResultText, texts_of_data

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
        if not colon or len(key.split()) > MAX_CELL_WORDS:
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
        cells = _cells_of_rows(lines, separator)
        if cells and all(len(cell.split()) <= MAX_CELL_WORDS for cell in cells):
            return cells
    return None


def _cells_of_rows(lines: Sequence[str], separator: str) -> list[str]:
    """Return the cells of all lines, or nothing if the lines have differently many separators."""
    count = lines[0].count(separator)
    if count == 0:
        return []
    cells: list[str] = []
    for line in lines:
        if line.count(separator) != count:
            return []
        cells += [cell.strip() for cell in line.split(separator)]
    return cells


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
    data = loaded_json(text)
    if data is None:
        return _parsed_without_json(text, is_program_output=is_program_output)
    if not isinstance(data, str):
        return data

    # The text is a JSON string or a number. Only an object or a list is loaded from a string.
    content = data
    inner_data: object = None
    if content.lstrip().startswith(("{", "[")):
        inner_data = loaded_json(content)
    if inner_data is None:
        inner_data = _parsed_without_json(content, is_program_output=is_program_output)
    return content if inner_data is None else inner_data


def _parsed_without_json(text: str, *, is_program_output: bool) -> object:
    """Return the data in a text that is YAML, lines of a program or a table; otherwise None."""
    data = parsed_yaml(text)
    if data is None and is_program_output:
        data = _parsed_lines(text)
    if data is None:
        data = _parsed_table(text)
    return data


def texts_of_result(
    result: Mapping[str, Any], *, is_program_output: bool = False
) -> list[ResultText]:
    """Return the texts of a result.

    Lines such as `To: Emma` are data if a program printed them (`is_program_output`).
    """
    texts: list[ResultText] = []
    for name, value in result.items():
        if isinstance(value, str):
            texts += _texts_of_string(value, is_program_output=is_program_output)
        else:
            texts += texts_of_data({name: value})
    return texts


def _texts_of_string(value: str, *, is_program_output: bool) -> list[ResultText]:
    """Return the fields of the data that a string has, or else the string as running text."""
    data = _parsed_data(value, is_program_output=is_program_output)
    if data is None:
        return [ResultText(value, is_data=False)]
    return texts_of_data(data)
