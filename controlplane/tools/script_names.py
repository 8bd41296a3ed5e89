"""Names that are valid in scripts: a tool or argument of any name gets a Python identifier."""

from __future__ import annotations

import keyword
from typing import Final

MAX_NAME_CHARS: Final = 60


def plain_name(text: str) -> str:
    """Return a name of at most 60 letters, digits and underscores, without leading underscores."""
    characters = []
    for character in text:
        is_plain = character.isascii() and character.isalnum()
        characters.append(character if is_plain else "_")
    plain = "".join(characters)[:MAX_NAME_CHARS].lstrip("_")
    return plain or "tool"


def is_adapted(name: object) -> bool:
    """Return True if a name is not valid in scripts, so that it has to be adapted."""
    return plain_name(str(name)) != name


def script_name(text: str, taken: set[str], reserved: tuple[str, ...] = ()) -> str:
    """Return a name like `text` that is valid in scripts and not taken, and add it to `taken`."""
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
    taken.add(name)
    return name
