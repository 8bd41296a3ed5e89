"""Names in scripts: a tool or an argument with any name gets a Python identifier.

Tools may come from elsewhere, with names that Python does not allow: scripts call
`get-order` as `harness.get_order(...)`, and pass its argument `from` as `from_=...`.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection
from typing import Final

MAX_NAME_CHARS: Final = 60
"""A longer name is cut, so that it takes little room in scripts and prompts."""
NAME_OF_NOTHING: Final = "tool"
"""The name for a text without a letter or digit."""


def plain_name(text: str) -> str:
    """Return a text as ASCII letters, digits and underscores: `get-order` -> `get_order`.

    It has no underscore at its beginning, since scripts may not use such names.
    """
    characters = []
    for character in text:
        is_plain = character.isascii() and character.isalnum()
        characters.append(character if is_plain else "_")
    plain = "".join(characters)[:MAX_NAME_CHARS].lstrip("_")
    return plain or NAME_OF_NOTHING


def is_adapted(name: object) -> bool:
    """Return True if a name has characters that scripts cannot use, such as `get-order`."""
    return plain_name(str(name)) != name


def script_name(
    text: str, taken: Collection[str] = (), reserved: Collection[str] = ()
) -> str:
    """Return a name like `text` that is valid in scripts, and is neither reserved nor taken.

    - `2fa` -> `t_2fa`, since a name cannot begin with a digit.
    - `from` -> `from_`, since it is a keyword of Python.
    - `answer` -> `answer_` if it is reserved.
    - `get-order` -> `get_order_2` if `get_order` is taken.
    """
    plain = plain_name(text)
    if plain[0].isdigit():
        plain = f"t_{plain}"
    elif keyword.iskeyword(plain):
        plain = f"{plain}_"

    name = f"{plain}_" if plain in reserved else plain
    number = 2
    while name in taken:
        name = f"{plain}_{number}"
        number += 1
    return name
