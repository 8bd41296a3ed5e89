"""Messages about differences between a recorded trial and its rerun."""

from __future__ import annotations

from posixpath import commonprefix
from typing import Final

from controlplane.agent.evidence import Difference

CHARS_BEFORE_DIFFERENCE: Final = 30
"""A message shows both texts from this many characters before their first difference."""
MAX_SHOWN_CHARS: Final = 160
"""A message shows this many characters of each text."""


def difference_text(trial_id: str, difference: Difference, label_of_second: str) -> str:
    """Return a message about a difference, which quotes both texts where they differ.

    An example is `"trial t1, step 3, output: recorded 'total 12', now 'total 13'"`. Here
    `label_of_second` is `now`.
    """
    recorded_text = str(difference.recorded)
    text_now = str(difference.now)
    common_chars = len(commonprefix([recorded_text, text_now]))
    start = max(common_chars - CHARS_BEFORE_DIFFERENCE, 0)
    end = start + MAX_SHOWN_CHARS
    place = f"trial {trial_id}"
    if difference.step:
        place += f", step {difference.step}"
    return (
        f"{place}, {difference.field}: "
        f"recorded {recorded_text[start:end]!r}, {label_of_second} {text_now[start:end]!r}"
    )
