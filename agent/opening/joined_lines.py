"""Joins the lines of a record, whose indentation says nothing."""

from __future__ import annotations


def joined_lines(text: str, room: int) -> tuple[str, int]:
    """Return the text in at most `room` characters, and how many characters of it that shows.

    The lines of a JSON object or list are joined; any other text stays as it is.
    """
    if not text.startswith(("{", "[")):
        return text[:room], min(len(text), room)
    shown: list[str] = []
    used = consumed = 0
    for line in text.splitlines(keepends=True):
        part = line.strip()
        if part and used + len(part) + (1 if shown else 0) > room:
            break
        if part:
            used += len(part) + (1 if shown else 0)
            shown.append(part)
        consumed += len(line)
    return " ".join(shown), consumed
