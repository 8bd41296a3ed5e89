"""The note behind the shown part of a long file, which says from which line a model can read on.

Such a note is `[... from line 57 on, by start_line]`.
"""


def line_to_read_on(note: str) -> int:
    """Return the line that a note names: `[... from line 57 on, by start_line]` -> 57."""
    text_behind = note.rpartition("from line ")[2]
    return int(text_behind.split()[0])
