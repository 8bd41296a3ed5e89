"""Finds cited files of which a newer version exists and is not cited.

An answer cites `fees-2025.csv`, and there is a `fees-2026.csv`. The user is told, unless the
question asks for the older file: "What were the fees in 2025?"
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from controlplane.view.answer.asked_versions import is_asked_for


@dataclass(frozen=True, slots=True)
class NewerVersion:
    """A cited file and its newest version."""

    cited: str
    newest: str


def newer_versions(
    versions_of_files: object, cited: Collection[str], question: str
) -> list[NewerVersion]:
    """Return the cited files that have a newer version which is not cited.

    Files that the question asks for, by a time or version number in their names, are left
    out. `versions_of_files` comes from a journal, so it may have any form. It should be a
    list like this one, with the newest version of each file first:

        [["/plan-v3.md", "/plan-v2.md"], ["/fees-2026.csv", "/fees-2025.csv"]]
    """
    newer = []
    for newest, older in _newest_and_older(versions_of_files):
        if newest in cited:
            continue
        for path in older:
            if path in cited and not is_asked_for(path, question):
                newer.append(NewerVersion(path, newest))
    return newer


def _newest_and_older(versions_of_files: object) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the newest version of each file, with its older versions.

    `[["/plan-v3.md", "/plan-v2.md"]]` -> `("/plan-v3.md", ["/plan-v2.md"])`. What has another form is
    left out.
    """
    if not isinstance(versions_of_files, list):
        return
    for versions in versions_of_files:
        if isinstance(versions, list) and versions:
            newest, *older = [str(path) for path in versions]
            yield newest, older
