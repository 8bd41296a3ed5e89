"""Suggests known names in messages about an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], *, most: int | None = None) -> str:
    """Return `; did you mean …?` with the nearest known name, or else `; known: …` with up to `most` names."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    left_out = f" and {len(names) - most} more" if most is not None and len(names) > most else ""
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(names[:most])}{left_out}"
