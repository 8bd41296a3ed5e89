"""Splits the result of a call into fields of data and running text.

Running text, such as a mail, may tell a model what to do; a field of a database may not. So
the two are told apart. The result `{"iban": "DE12", "note": "Dear Ann, …"}` has the field
`DE12`, and a note that is running text because it is long. A result that is a text
is data if the whole text has a form of data: JSON, YAML with nested entries, or a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.agent.evidence.texts.data_forms import (
    parsed_composite,
    parsed_json,
    parsed_other_form,
    parsed_yaml,
)

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
        if isinstance(value, str):
            texts += _texts_of_text(value, is_program_output=is_program_output)
        else:
            texts += texts_of_data({name: value})
    return texts


def _texts_of_text(text: str, *, is_program_output: bool) -> list[ResultText]:
    """Return the fields of a text that is data as a whole, or else the text itself.

    Data may be JSON (`{"fee": 7}`), or JSON with data in a text (`"{\\"fee\\": 7}"`), or have
    another form, such as a table. `The fee is 7.` is not data.
    """
    data = parsed_json(text)
    if isinstance(data, str):
        # JSON with only one text or number (which is a text here). It may have data in it.
        inner_data = parsed_composite(data, is_program_output=is_program_output)
        if inner_data is not None:
            data = inner_data
    if data is None:
        data = parsed_other_form(text, is_program_output=is_program_output)
    if data is None:
        return [ResultText(text, is_data=False)]
    return texts_of_data(data)


def texts_of_file(path: str, text: str) -> list[ResultText]:
    """Return the texts of a file that was read.

    They are fields of data if the file's name has an extension of data, and the text
    parses as a whole. A part of such a file does not parse: each of its short lines
    counts as a field.
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
    """Return the texts, numbers and names in data, each once, in any order.

    `{"fee": [7, "late"]}` -> `fee`, `7`, `late`. An object with a `path` has text of that
    file: `{"path": "/a.md", "text": "fee"}`.
    """
    texts: dict[ResultText, None] = {}  # a set: only the keys count
    waiting = [data]  # What is still to be looked at. The last item is next.
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            texts[ResultText(item, is_field(item))] = None
        elif isinstance(item, Mapping):
            file_texts = _file_texts(item)
            for text in file_texts.values():
                texts.update(dict.fromkeys(texts_of_file(item["path"], text)))
            names = [name for name in item if name not in file_texts]
            waiting += names
            waiting += [item[name] for name in names]
        elif isinstance(item, list | tuple):
            waiting += reversed(item)
        elif item is not None and not isinstance(item, bool):
            texts[ResultText(str(item), is_data=True)] = None
    return list(texts)


def _file_texts(item: Mapping[Any, Any]) -> dict[str, str]:
    """Return the fields of an object that have text of the file at its `path`.

    `{"path": "/a.md", "line": 3, "text": "fee"}` -> `{"text": "fee"}`
    """
    path = item.get("path")
    if not isinstance(path, str) or not path.startswith("/"):
        return {}
    names = ("text", "content")
    return {name: item[name] for name in names if isinstance(item.get(name), str)}
