"""Splits the result of a call into texts: fields of data, and running text.

Running text, such as a mail, may be by an attacker, and tell the model what to do, so the two are
told apart. A field of the result may have JSON or a table as its text:

    {"result": '{"iban": "DE12"}'}   -> the fields `iban` and `DE12`
    {"result": "Dear Ann, …"}        -> `Dear Ann, …`, running text
    {"result": "To: Emma"}           -> `To: Emma`, running text: it may be the head of a mail
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.evidence.texts.data.data_forms import parsed_data
from controlplane.agent.evidence.texts.data_texts import texts_of_data
from controlplane.agent.evidence.texts.result_text import ResultText


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
    data = parsed_data(value, is_program_output=is_program_output)
    if data is None:
        return [ResultText(value, is_data=False)]
    return texts_of_data(data)
