"""The tokens by which the end of an object is found, even if it is not valid JSON or Python.

The object ends at the brace that closes its first one. Braces inside strings do not count, so
strings are tokens, too. `{"a": "}"} Yes` has four tokens, and the last one ends the object:

    {    "a"    "}"    }

All text between tokens, such as the colon, is passed over. A key of code, as in `{"code": "1"}`, is
a token with its colon. By it, an object is known as one that has a script to run.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.objects.raw_newlines import STRING

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""The key of an action's code: `"code":`, `'code':` or `code:`.

Also `code":`, which is left over if a model writes a mark too many: after `"a"", "code": "1"`
the strings are `"a"` and `", "`."""

_LONG_STRING: Final = r'"""(?:[^\\]|\\.)*?"""' + "|" + r"'''(?:[^\\]|\\.)*?'''"
"""A whole string of Python in triple quotation marks: `'''a } b'''`."""

_LONG_QUOTES: Final = ('"""', "'''")
_QUOTES: Final = ('"', "'")
OPEN_STRINGS: Final = (*_LONG_QUOTES, *_QUOTES)
"""If one of these marks is a token by itself, it begins a string that does not end. Then the object
has no end, either."""

_FORMS: Final = (
    _CODE_KEY,
    _LONG_STRING,
    *_LONG_QUOTES,  # of a long string that does not end
    STRING,
    *_QUOTES,  # of a string that does not end
    "[{}]",
)
"""The forms of a token. The first one that matches is taken, so a whole string is tried before
its quotation marks."""

TOKEN: Final = re2.compile("(?s)" + "|".join(_FORMS))
"""Matches a token of an object."""
