"""Splits the result of a call into fields of data and running text.

Running text, such as a mail, may be by an attacker, and tell the model what to do. A field of
a database does not. So the two are told apart:

| text | is |
| --- | --- |
| a short value: `DE12` in `{"result": {"iban": "DE12"}}` | a field of data |
| a long one: `Dear Ann, …` | running text |
| a result that is JSON, YAML or a table (`data_forms.py`) | split into its values |
| a file with a name such as `/fees.csv` | split into its values |
| any other file, such as `/mail.md` | running text |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.agent.evidence.texts.data_forms import (
    parsed_data,
    parsed_json,
)
from controlplane.agent.evidence.texts.yaml_data import parsed_yaml

MAX_FIELD_WORDS: Final = 8
"""The longest field of data, in words. Longer values are
running text. docs/provenance.md has the measurements."""
_DATA_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".csv", ".tsv")
"""Extensions of data files."""


@dataclass(frozen=True, slots=True)
class ResultText:
    """One text of a result."""

    text: str
    is_data: bool
    """True for a field of data. False for running text."""
    path: str = ""
    """The file that has the text, for example in a search's result. Empty if there is none."""


def is_field(value: str) -> bool:
    """Return True if a value within data is a field: one line of a few words.

    A longer value is running text.
    """
    return len(value.split()) <= MAX_FIELD_WORDS and len(value.splitlines()) <= 1


def texts_of_result(
    result: Mapping[str, Any], *, is_program_output: bool = False
) -> list[ResultText]:
    """Return the texts of a call's result, whose fields may have JSON or a table as a text.

    Lines of `key: value` are data if a program printed them (`is_program_output`). In
    other results they may be the head of a mail: `To: Emma`.
    """
    texts: list[ResultText] = []
    for name, value in result.items():
        if not isinstance(value, str):
            texts += texts_of_data({name: value})
            continue
        data = parsed_data(value, is_program_output=is_program_output)
        if data is None:
            texts.append(ResultText(value, is_data=False))
        else:
            texts += texts_of_data(data)
    return texts


def texts_of_file(path: str, text: str) -> list[ResultText]:
    """Return the texts of a file that was read: fields of data, or running text.

    A file with a name such as `/fees.csv` has data. If the text parses as JSON or YAML, its
    values are the fields. Otherwise, as in a CSV file or in a part of a file, each short line
    is a field. Any other file, such as `/mail.md`, is running text as a whole.
    """
    name = path.casefold()
    if not name.endswith(_DATA_SUFFIXES):
        return [ResultText(text, is_data=False, path=path)]

    data = parsed_json(text)
    if data is None and name.endswith((".yaml", ".yml")):
        data = parsed_yaml(text)
    if data is None:
        lines = filter(str.strip, text.splitlines())
        return [ResultText(line, is_field(line), path) for line in lines]
    return [ResultText(part.text, part.is_data, path) for part in texts_of_data(data)]


def texts_of_data(data: object) -> list[ResultText]:
    """Return the texts, numbers and names in data, each once.

    | data | texts |
    |---|---|
    | `{"fee": [7, "late"]}` | the fields `fee`, `7` and `late` |
    | `{"path": "/a.md", "text": "Pay 7"}` | `Pay 7`, running text of the file; `path`, `/a.md` |
    | `[null, true]` | none |
    """
    texts: dict[ResultText, None] = {}  # an ordered set: only the keys count
    # The parts that are still to be read. The last one is read next. (This is not a recursion,
    # since data may be nested more deeply than Python allows for one.)
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            texts[ResultText(part, is_field(part))] = None
        elif isinstance(part, list | tuple):
            waiting += reversed(part)
        elif isinstance(part, Mapping):
            file_fields = _fields_with_file_text(part)
            for name in file_fields:
                texts.update(dict.fromkeys(texts_of_file(part["path"], part[name])))
            names = [name for name in part if name not in file_fields]
            waiting += names
            waiting += [part[name] for name in names]
        elif part is not None and not isinstance(part, bool):  # a number
            texts[ResultText(str(part), is_data=True)] = None
    return list(texts)


def _fields_with_file_text(item: Mapping[Any, Any]) -> list[str]:
    """Return the names of the fields that have text of the file at the item's `path`.

    `{"path": "/a.md", "line": 3, "text": "Pay 7"}` -> `["text"]`. Whether it is data depends on
    the file (`texts_of_file`).
    """
    path = item.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return []
    return [name for name in ("text", "content") if isinstance(item.get(name), str)]
