"""Where tests cut or edit a journal: at positions in its bytes, such as 0 for the first byte.

A journal is a file of JSON lines. The end of a line is special: a line is complete only with its line
feed, and before that stands a signature, `..."mark":"fd32...ae77"}`.
"""

STEP = 13
NEAR = 4
"""How many bytes before and after a line feed are near it: enough for the end of a mark."""


def tried_positions(journal_bytes: bytes, heavy: bool) -> list[int]:
    """Return every thirteenth position and those near a line feed; in the heavy form all."""
    positions: list[int] = []
    for position in range(len(journal_bytes)):
        nearby = journal_bytes[max(position - NEAR, 0) : position + NEAR + 1]
        if heavy or position % STEP == 0 or b"\n" in nearby:
            positions.append(position)
    return positions
