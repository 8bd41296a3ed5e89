"""What a request may change, by what it asks for: without a change in it, nothing that changes something is offered."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from benchmarks.shop.preflight.request_intent import intent_of
from toolkit import CannotRead, Finding
from toolkit.requests import may_change_files

_DEEDS: Final = re.compile(
    r"\b(?:check\s?-?(?:ed|ing)?\s?-?out|buy|purchas\w*|order\w*|pay|complete|finish|submit|close|approv\w*|refund\w*|"
    r"discount\w*|percent|restart\w*|start\w*|retry|verif\w*|move|appl\w+|put|give|go ahead|confirm|process|cancel\w*|"
    r"return\w*|grant\w*|set|change|update|do it|proceed)\b|%",
    re.IGNORECASE,
)
"""Words for what tools of a shop change."""


def permitted_changes(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, bool]]:
    """Return whether a request may write and delete `files`, and run `tools` that change something.

    Nobody runs such tools for a guest, whatever the request says: who asks is what the identity tool prints.
    """
    meant = intent_of(request, intent)
    files = may_change_files(request, is_classified=meant.file_change)
    is_asked = meant.checkout or meant.discount or bool(_DEEDS.search(request))
    return Finding({"files": files, "tools": is_asked and not _is_guest(reader)})


def _is_guest(reader: WorkspaceReader) -> bool:
    """Say whether whoever asks is known to be neither a customer nor of the staff."""
    try:
        asker = ShopLayout(reader).asker
    except CannotRead:
        return False
    return not (asker.is_customer or asker.is_staff)
