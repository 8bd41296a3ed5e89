"""Mends what stands around the code of an object that our own rules cannot read, by the library `json_repair`.

The library guesses. So the code is never its guess: it has to be one whole string that we read ourselves, a program.
"""

from __future__ import annotations

import json
import re
from typing import Final

from agent.reply.action import is_program
from agent.reply.object_finder import CODE_KEY

_LONGEST: Final = 20_000
"""Characters of an object that is mended; the library's time grows faster than the text."""
_DEEPEST: Final = 50
"""Brackets, beyond which it is no action."""
_STAND_IN: Final = '"code"'
"""What the library gets to see in the place of the code."""
_STRING: Final = re.compile(r'\s*+("(?:[^"\\]++|\\.)*")\s*+', re.S)
_NEXT_KEY: Final = re.compile(r""",\s*+(?:"\w+"|'\w+'|\w+)\s*+:""")
_LAST: Final = re.compile(r",?\s*+\}\s*+\Z")
_FAILURES_OF_LIBRARY: Final = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError),
)


def repaired(written: str) -> dict[str, object] | None:
    """Return the object that `written`, from its brace to the closing one, means; None if that is not certain."""
    if len(written) > _LONGEST or written.count("[") + written.count("{") > _DEEPEST:
        return None
    found = _code_in(written)
    if found is None or not is_program(found[0]):
        return None
    code, start, end = found
    import json_repair

    try:
        mended = json_repair.loads(f"{written[:start]}{_STAND_IN}{written[end:]}", skip_json_loads=True)
    except _FAILURES_OF_LIBRARY:
        return None
    if not isinstance(mended, dict) or mended.get("code") != json.loads(_STAND_IN):
        return None
    return mended | {"code": code}


def _code_in(written: str) -> tuple[str, int, int] | None:
    """Return the code and its place if it is written once, as one JSON string with nothing but another key, or the end,
    behind it."""
    keys = list(CODE_KEY.finditer(written))
    if len(keys) != 1:
        return None
    string = _STRING.match(written, keys[0].end())
    if string is None or not (_NEXT_KEY.match(written, string.end()) or _LAST.match(written, string.end())):
        return None
    try:
        code = json.loads(string[1], strict=False)
    except ValueError:
        return None
    return (code, string.start(1), string.end(1)) if isinstance(code, str) and code.strip() else None
