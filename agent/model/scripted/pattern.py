"""Regular expressions in files that users write, such as `when = "overdue|late"`.

They are those of RE2, whose search takes a time that grows linearly with the text. A field of
the type `Pattern` is checked when the file is read: `when = "("` raises `ValidationError`.
"""

from __future__ import annotations

from typing import Annotated

import re2
from pydantic import AfterValidator


def _checked_pattern(pattern: str) -> str:
    """Return `pattern` unchanged. Raises `ValueError` if it is not a regular expression of RE2."""
    options = re2.Options()
    options.log_errors = False  # By default, RE2 prints the fault.
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        msg = f"is not a regular expression of RE2 ({pattern!r})"
        raise ValueError(msg) from None
    return pattern


Pattern = Annotated[str, AfterValidator(_checked_pattern)]
"""A regular expression of RE2."""


def is_in(pattern: str, text: str) -> bool:
    """Return True if a pattern matches somewhere in a text.

    The text may have characters that UTF-8 cannot encode. RE2 would refuse them, so it gets
    the text as bytes, with `?` for each of these characters.
    """
    text_as_bytes = text.encode(errors="replace")
    return re2.search(pattern, text_as_bytes) is not None
