"""What a request may change, by what it asks for: without a change in it, nothing that changes something is offered."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.layout.shop_layout import WorkspaceReader
from benchmarks.shop.preflight.request_intent import intent_of
from toolkit import Finding
from toolkit.requests import may_change_files

_DEEDS: Final = re.compile(
    r"\b(?:check\s?-?(?:ed|ing)?\s?-?out|buy|purchas\w*|order\w*|pay|complete|finish|submit|close|approv\w*|refund\w*|"
    r"discount\w*|percent|restart\w*|start\w*|retry|verif\w*|move|appl\w+|put|give|go ahead|confirm|process|cancel\w*|"
    r"return\w*|grant\w*|set|change|update|do it|proceed)\b|%",
    re.IGNORECASE,
)
"""Words for what tools of a shop change."""


def permitted_changes(reader: WorkspaceReader, request: str, intent: str) -> Finding[dict[str, bool]]:
    """Return whether a request may write and delete `files`, and run `tools` that change something."""
    del reader
    meant = intent_of(request, intent)
    files = may_change_files(request, is_classified=meant.file_change)
    tools = meant.checkout or meant.discount or bool(_DEEDS.search(request))
    return Finding({"files": files, "tools": tools})
