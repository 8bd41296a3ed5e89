"""Finds the notices in a workspace: `/docs/updates/2031-05-02-keys.md`.

A notice is a document that changes other documents from the day in its name on. Not every
document with a day in its name is one (`/minutes/2031-05-02.md`), so its folder counts, too:
rules say "New rules are announced in /docs/updates", but nothing about a file in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.retrieval.document_search.document_dates import day_in_name
from controlplane.agent.retrieval.rules_routing import paths_in


def notices_among(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> tuple[str, ...]:
    """Return the paths of the documents that are notices.

    `described_paths` are those for which the workspace's rules say what they are about.
    """
    folders = notice_folders(documents, rules, described_paths)
    return tuple(
        path for path in documents if _folder_of(path) in folders and day_in_name(path)
    )


def notice_folders(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> set[str]:
    """Return the folders that may hold notices: the rules name them, but describe no file there.

    `See /docs/updates. Cars: /docs/parking.md.` -> `/docs/updates`. A notice may be about
    anything, so rules cannot describe it in advance. `/docs` has a file that is described,
    so it is not a folder of notices, even if the rules name it.
    """
    document_paths = set(documents)
    folders_with_described_files = {_folder_of(path) for path in described_paths}
    folders: set[str] = set()
    for path in paths_in(rules):
        # A path of something else, which is not a folder, does no harm: no file is below it.
        may_be_folder = path not in document_paths
        if may_be_folder and path not in folders_with_described_files:
            folders.add(path)
    return folders


def _folder_of(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`."""
    return path.rpartition("/")[0]
