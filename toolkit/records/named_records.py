"""The records that a text names, and the paths that somebody wrote almost right."""

from __future__ import annotations

import re
from typing import Final

from toolkit.records.asker_identity import Identity
from toolkit.records.workspace_records import WorkspaceRecords

_NAME: Final = re.compile(r"(?<![\w/.-])([A-Za-z]{2,})[ _-]?(\d{1,8})(?![\w-])")
_DIGITS: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")


def _loose(name: str) -> str:
    """Return an id without separators and without zeros in front of its number."""
    found = _DIGITS.match(name.casefold())
    return f"{found[1]}#{found[2]}" if found else name.casefold()


def named_records(records: WorkspaceRecords, asker: Identity, text: str) -> list[str]:
    """Return the paths of the records that a text names and the asker may see, by kind and place in the listing.

    An id counts without separator and zeros too: `basket057` and `basket-57` are `basket_057`.
    """
    wanted = {_loose(f"{kind}{number}") for kind, number in _NAME.findall(text)}
    found = [path for path in records.all_paths if _loose(_base(path)) in wanted and not path.endswith(".md")]
    allowed = []
    for path in found:
        record = records.at(path)
        if record is not None and asker.may_cite(record.owner):
            allowed.append(path)
    return allowed


def _base(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit(".", 1)[0]


def repaired_paths(records: WorkspaceRecords, paths: list[str]) -> list[str]:
    """Return existing files for paths: as they are, in another case, with an extension, or by the id at their end.

    What leads to no file, or to several, is left out. A fragment stays with its file.
    """
    known = set(records.all_paths)
    folded = {path.casefold(): path for path in records.all_paths}
    found = []
    for path in paths:
        if path in known:
            found.append(path)
            continue
        base, mark, fragment = path.partition("#")
        there = base if base in known else folded.get(base.casefold()) or folded.get(f"{base}.json".casefold())
        there = there or (None if base.endswith(".md") else records.path_of(_base(base)))
        if there:
            found.append(f"{there}{mark}{fragment}")
    return list(dict.fromkeys(found))


def linked_paths(records: WorkspaceRecords, paths: list[str], *, key: str) -> list[str]:
    """Return the records that the given ones name in a field, such as the payment that a return reverses."""
    found = []
    for path in paths:
        record = records.at(path)
        link = record.data.get(key) if record is not None else None
        target = records.path_of(link) if isinstance(link, str) else None
        if target:
            found.append(target)
    return list(dict.fromkeys(found))
