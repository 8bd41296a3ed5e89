"""Whether a request asks for files to be changed: trust by what it asks, not by what it claims."""

from __future__ import annotations

import re
from typing import Final

_CHANGE: Final = (
    r"(?:write|create|save|store(?!d)|put|export|delete|remove|clean|clear|wipe|purge|append|overwrite|rename|move|edit"
    r"|update|add)\w*"
)
_FILE: Final = r"(?:files?|folders?|director(?:y|ies)|csv|tsv|\.\w{2,4}\b|/[\w.-]+/|report|note|basket|cart)"
_ASKED: Final = re.compile(rf"\b{_CHANGE}\b[^.!?\n]{{0,80}}?(?:\b|(?=[/.])){_FILE}", re.IGNORECASE)
_FORBIDDEN: Final = re.compile(
    r"\b(?:do not|don't|never|without|no)\s+(?:(?:be|to|any|file|making|other|further)\s+)*"
    r"(?:chang|modif|edit|alter|writ|delet|touch|updat|remov)\w*",
    re.IGNORECASE,
)


def may_change_files(text: str, *, is_classified: bool) -> bool:
    """Say whether a request allows writing and deleting.

    The classifier or the words ask for it, and nothing forbids it. An empty request allows nothing.
    """
    if not text.strip() or _FORBIDDEN.search(text):
        return False
    return is_classified or bool(_ASKED.search(text))
