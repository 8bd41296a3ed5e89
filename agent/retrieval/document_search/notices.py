"""Finds the notices in a workspace: `/docs/updates/2031-05-02-keys.md`.

A notice is a document that changes other documents from the day in its name on. Other documents
may have a day in their names, too (`/minutes/2031-05-02.md`). Notices are known by their folder:
the workspace's rules name it ("New rules are announced in /docs/updates"), but no file in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.retrieval.document_search.document_dates import day_in_name
from controlplane.agent.retrieval.written_paths import paths_in


def notices_among(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> set[str]:
    """Return the paths of the documents that are notices.

    `described_paths` are those for which the workspace's rules say what they are about.
    """
    folders = notice_folders(documents, rules, described_paths)
    notices: set[str] = set()
    for path in documents:
        if _folder_of(path) in folders and day_in_name(path):
            notices.add(path)
    return notices


def notice_folders(
    documents: Collection[str], rules: str, described_paths: Iterable[str]
) -> set[str]:
    """Return the folders that may hold notices: the rules name them, but describe no file there.

    `See /docs/updates. Cars: /docs/parking.md.` -> `/docs/updates`

    A notice may come at any time and be about anything, so rules cannot describe it. But they
    describe a file in `/docs`, so `/docs` is not a folder of notices, even if they name it.
    """
    document_paths = set(documents)
    folders_with_described_files = {_folder_of(path) for path in described_paths}
    folders: set[str] = set()
    for path in paths_in(rules):
        # The path may be that of another file. That does no harm: no document is below it.
        may_be_folder = path not in document_paths
        if may_be_folder and path not in folders_with_described_files:
            folders.add(path)
    return folders


def _folder_of(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`."""
    return path.rpartition("/")[0]
