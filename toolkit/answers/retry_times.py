"""When something that is blocked may be tried again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from toolkit.records import folded_id

_INSTANT: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)"
_INSTANTS: Final = re.compile(_INSTANT)
_RETRY_KEY: Final = re.compile(r"retry|again|locked_until|blocked_until|next_attempt|available_at", re.IGNORECASE)
_ID: Final = re.compile(r"(?<![\w-])([a-z]{2,12}[_-]\d{2,8})(?![\w-])", re.IGNORECASE)


def retry_time(ids: Sequence[str], document: str = "", record: Mapping[str, Any] | None = None) -> str:
    """Return the instant from which records with these ids may be tried again; empty if nothing says it.

    The record is the first source. In a document that names ids, an instant belongs to the id before it.
    """
    if found := next(_instants(record or {}), ""):
        return found
    wanted = {folded_id(each) for each in ids}
    kind = {re.split(r"[_-]", each)[0].casefold() for each in ids}
    marks = [each for each in _ID.finditer(document) if re.split(r"[_-]", each[1])[0].casefold() in kind]
    if not marks:
        instant = _INSTANTS.search(document)
        return instant[0] if instant else ""
    ends = [each.start() for each in marks] + [len(document)]
    for mark, (start, end) in zip(marks, pairwise(ends), strict=True):
        instant = _INSTANTS.search(document, start, end)
        if instant and folded_id(mark[1]) in wanted:
            return instant[0]
    return ""


def _instants(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _instants(value)
        elif isinstance(value, str) and _RETRY_KEY.search(key) and _INSTANTS.fullmatch(value):
            yield value


def with_retry_time(message: str, until: str) -> str:
    """Return a message that says that something is blocked, and until when, each once."""
    if not until or (until in message and "blocked" in message.casefold()):
        return message
    said = message.strip().rstrip(".")
    sentence = f"It is blocked until {until}."
    end = "" if said.endswith(("?", "!")) else "."
    return f"{said}{end} {sentence}" if said else sentence


def record_ids(paths: Iterable[str], text: str, *, kinds: Sequence[str]) -> list[str]:
    """Return the ids of some kinds that paths end with or a text names, each once."""
    names = [path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in paths]
    found = [each[1] for name in (*names, text) for each in _ID.finditer(name)]
    return list(dict.fromkeys(each for each in found if re.split(r"[_-]", each)[0].casefold() in kinds))
