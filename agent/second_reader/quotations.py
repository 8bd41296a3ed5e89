"""Finds the quotations in the reply of the second reader: `{"against": ["No dogs inside."]}`.

The second reader is a model that reads an answer before it is sent. If a line of the rules
speaks against the answer, the model quotes this line. Only real quotations count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.gates.text_folding import bare_text
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

MIN_QUOTED_CHARS: Final = 8
"""A shorter quotation may be in any text by chance."""


def quoted_in(reply: str, texts: Iterable[str]) -> list[str]:
    """Return the quotations of a reply that are really in one of the texts, the first few.

    `{"against": ["No dogs  inside.", "No cats."]}` -> `["No dogs  inside."]`, if a text has
    "no dogs inside". Blanks and case are not compared.
    """
    bare_texts = [bare_text(text) for text in texts]
    quotations: list[str] = []
    for entry in _entries_of(reply):
        bare_entry = bare_text(entry)
        if any(bare_entry in text for text in bare_texts):
            quotations.append(entry)
    return quotations[: bounds.SHOWN_EXAMPLES]


def _entries_of(reply: str) -> list[str]:
    """Return the texts in the list `against` of a reply, each once.

    Texts that are too short or too long are left out. A reply without such a list has none.
    """
    start = reply.find("{")
    end = reply.rfind("}")
    try:
        entries = read_json(reply[start : end + 1])["against"]
    except (Unreadable, KeyError, TypeError):
        return []
    if not isinstance(entries, list):
        return []
    texts = [entry.strip() for entry in entries if isinstance(entry, str)]
    return [
        text
        for text in dict.fromkeys(texts)
        if MIN_QUOTED_CHARS <= len(text) <= bounds.SHOWN_PART_CHARS
    ]
