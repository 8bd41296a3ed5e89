"""The tokens by which the end of an object is found, even if it is not valid JSON or Python.

`{"a": "}"}` has the tokens `{`, `"a"`, `"}"` and `}`. A brace inside a string is no token. All
other text is passed over.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.reply.action_fields import CODE_NAMES
from controlplane.agent.reply.objects.raw_newlines import STRING

_BRACE: Final = "[{}]"

_LONG_STRING: Final = r'"""(?:[^\\]|\\.)*?"""' + "|" + r"'''(?:[^\\]|\\.)*?'''"
"""A whole string of Python in triple quotation marks: `'''a } b'''`."""

_LONG_QUOTES: Final = ('"""', "'''")
_QUOTES: Final = ('"', "'")
OPEN_STRINGS: Final = (*_LONG_QUOTES, *_QUOTES)
"""If one of these marks is a token by itself, it begins a string that does not end."""

_CODE_NAME: Final = f"(?:{'|'.join(CODE_NAMES)})"
_CODE_KEY: Final = rf"""(?:"{_CODE_NAME}"|'{_CODE_NAME}'|\b{_CODE_NAME}["']?)\s*:"""
"""The key of an action's code: `"code":`, `'code':` or `code:`.

Also `code":`, because models write one mark too many: `{"state": "a"", "code": "1"}`. Read from
the left, this has the string `"a"`, then the string `", "`, and then `code":`."""

TOKEN: Final = re2.compile(
    # The first form that matches is the token. So a quotation mark is a token by itself only
    # if neither a key of code nor a whole string begins with it.
    "(?s)"
    + "|".join((_CODE_KEY, _LONG_STRING, *_LONG_QUOTES, STRING, *_QUOTES, _BRACE))
)
"""Matches a token of an object."""
