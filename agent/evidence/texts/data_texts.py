"""Returns the texts in data, such as the fields of a result.

Each text is either a *field* of data, which has a few words, or *running text*, such as a mail that
an attacker may have written. Data may have text of a file in it, as in the result of a search. Then
the file decides: that of `/a.md` is running text, and that of `/a.csv` has fields:

| data | texts |
|---|---|
| `[null, true]` | none |
| `{"fee": [7, "late"]}` | the fields `fee`, `7` and `late` |
| `{"path": "/a.md", "text": "Pay 7"}` | `Pay 7`, running text of the file; `path`, `/a.md` |
| `{"path": "/a.csv", "text": "Ann;7"}` | `Ann;7`, a field of the file; `path`, `/a.csv` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controlplane.agent.evidence.texts.data import is_data_file, parsed_file

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
    # The parts that are still to be read, the next one last. (This is not a recursion, since data
    # may be nested more deeply than Python allows for one.) The items of a list are read in order,
    # and the fields of a mapping from the last to the first, since their order means nothing.
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if part is None or isinstance(part, bool):
            continue
        if isinstance(part, str):
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
    data = parsed_file(path, text)
    if data is None:
        lines = filter(str.strip, text.splitlines())
        return [ResultText(line, _is_field(line), path) for line in lines]
    return [ResultText(part.text, part.is_data, path) for part in texts_of_data(data)]
