"""A text in which equal words have equal characters, in the form in which words are compared.

To find out which text a value of a call comes from, the words of both are compared. A mail may
write `Ann’s` where the call has `ann's`, or leave out the blank after a full stop:

| function | `Call Ann’s desk.Please pay` becomes |
|---|---|
| `unify` | `Call Ann's desk. Please pay` |
| `fold` | `call ann's desk. please pay` |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.gates.values.normal_text import normalize_text

_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ`", "'"))
"""A table for `str.translate` that turns the other apostrophes into `'`."""
_JOINED_SENTENCES: Final = re2.compile(
    r"(\p{Ll}\.)(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)"
)
"""Two sentences without a blank between them: `week.Please`, `week.The`.
The second one begins with a word of at least four letters, or with a common one.
A shorter word may be the end of a name, such as `Com` in `site.Com`."""


def fold(text: str) -> str:
    """Return a text in lower case and uniform (see `unify`): `Ann’s INV` -> `ann's inv`."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text in which equal words have equal characters.

    Wide letters become usual ones, all apostrophes `'`, and invisible characters are left
    out. Sentences without a blank between them are separated, so that their words are
    found: `this week.Please` -> `this week. Please`. Upper and lower case stay.
    """
    # Most texts are ASCII, and have none of these characters. (Only a backtick may be in them. It
    # stays, since few people use it as an apostrophe if they write ASCII.)
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    # RE2 refuses a half of a surrogate pair. `encodable` replaces it by `?`.
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))
