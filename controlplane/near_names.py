"""Suggests known names in messages about an unknown one that the user wrote."""

from __future__ import annotations

from collections.abc import Iterable


def nearest_name(name: str, known: Iterable[str], *, least: float = 0.6) -> str:
    """Return the known name most like `name`, or an empty string if none is alike by `least` (0 to 1)."""
    from difflib import get_close_matches  # Only a mistake needs it.

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=least)), "")


def did_you_mean(name: str, known: Iterable[str], *, most: int | None = None) -> str:
    """Return `; did you mean …?` with the nearest known name, or else `; known: …` with up to `most` names."""
    names = list(dict.fromkeys(known))
    close = nearest_name(name, names, least=0.5)
    left_out = f" and {len(names) - most} more" if most is not None and len(names) > most else ""
    return f"; did you mean {close!r}?" if close else f"; known: {', '.join(names[:most])}{left_out}"
