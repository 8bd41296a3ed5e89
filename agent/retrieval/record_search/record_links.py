"""Finds the files that records name, so that they can be read, too.

The record `/records/loans/l-12.json` has the text `{"book": "b7"}`. By this id, it names the
file `/records/books/b7.json`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.retrieval.record_search.known_records import KnownRecords

MAX_LINKS: Final = 8
"""A record that names more files than this is a list, such as that of all members. The files
on it are not read."""


def linked_files(record_texts: Iterable[str], known: KnownRecords) -> list[str]:
    """Return the files that some records name by their paths or ids, from their texts.

    `{"book": "b7"}` -> `/records/books/b7.json`

    An environment may declare that links of JSON records are not followed, because the model
    has functions that look up what these records name.
    """
    files: list[str] = []
    for text in record_texts:
        is_json = text.startswith(("{", "["))
        if is_json and not known.declared.follows_records:
            continue
        links = known.names.files_named_in(text)
        if len(links) <= MAX_LINKS:
            files += links
    return files
