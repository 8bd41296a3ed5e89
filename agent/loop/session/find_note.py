"""The note for the model about a `find` that got a path, although it compares file names.

Models write `find` like the command of a shell. It then finds nothing, and they conclude that
there is no such file:

    find("docs/a.md")   -> paths: []
                           find fits base names, so 'docs/a.md' fits nothing:
                           write harness.read("/docs/a.md").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.sandbox.interface import Plain

MAX_NAME_CHARS: Final = 200
"""Max characters of a name or a folder that a note repeats."""


def find_note(
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    can_read: bool,
) -> str:
    """Return the note about a `find` that got a path, and so found nothing; else empty.

    It says how to read the file. If scripts cannot read (`can_read` is false), or the path is a
    pattern such as `docs/*.md`, it says how to find files in this folder.
    """
    name = arguments.get("name")
    has_found_nothing = operation == "find" and result.get("paths") == []
    if not has_found_nothing or not isinstance(name, str):
        return ""
    folder, slash, base_name = name.rpartition("/")
    is_path = bool(slash) and bool(base_name)
    if not is_path:
        return ""

    shown_name = name[:MAX_NAME_CHARS]
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        path = "/" + shown_name.lstrip("/")
        remedy = f'harness.read("{path}")'
    else:
        root = "/" + folder[:MAX_NAME_CHARS].strip("/")
        remedy = f'harness.find("{base_name[:MAX_NAME_CHARS]}", root="{root}")'
    # A base name is the last part of a path: `a.md` of `/docs/a.md`.
    return f"find fits base names, so {shown_name!r} fits nothing: write {remedy}."
