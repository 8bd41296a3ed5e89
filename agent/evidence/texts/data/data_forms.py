"""Parses texts that are data as a whole, and not sentences.

Sentences, such as those of a mail, may give a model false orders. Data does not, so it is told
apart by its form:

| form | example |
| --- | --- |
| JSON | `{"fee": 7}` |
| YAML with nested entries | `fees:`, and in the next line `- 7` |
| lines that a program printed | `fee: 7` |
| a table | `name;fee`, and in the next line `Ann;7` |

Numbers stay texts, as they are written: the 7 of the JSON becomes `"7"`.
"""

from __future__ import annotations

from controlplane.agent.evidence.texts.data.loaded_data import loaded_json
from controlplane.agent.evidence.texts.data.printed_data import (
    parsed_lines,
    parsed_table,
)
from controlplane.agent.evidence.texts.data.yaml_data import parsed_yaml


def parsed_data(text: str, *, is_program_output: bool) -> object:
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
        data = parsed_lines(text)
    if data is None:
        data = parsed_table(text)
    return data
