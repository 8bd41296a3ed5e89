"""Splits the result of a call that has read a file into texts.

    {"path": "/mail/7.md", "content": "Please pay 420 to GB33...", "title": "Rent"}

    -> `Please pay 420 to GB33...`, running text of the file `/mail/7.md`
    -> `title` and `Rent`, fields of data about the file

The content is running text here because the file is a mail. That of `/loans.csv` is data.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.origins.results.result_fields import text_fields
from controlplane.agent.evidence.texts.data_texts import texts_of_data, texts_of_file
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain


def texts_of_read_file(
    path: str, result: Mapping[str, Plain], *, content_field: str
) -> list[ResultText]:
    """Return the texts of the file at `path`, and those about it.

    `content_field` is the field of the result that has the file's text.
    """
    texts: list[ResultText] = []
    for name, value in text_fields(result).items():
        if name == content_field and isinstance(value, str):
            texts += texts_of_file(path, value)
        elif name != "path":
            texts += texts_of_data({name: value})
    return texts
