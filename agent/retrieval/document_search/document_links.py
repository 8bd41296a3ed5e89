"""Finds the paths that the texts of documents name: of other documents, and of folders.

A document is a text for all requests. `/docs/parking.md` has the text "Permits: /docs/permits.md.
Each car has a file in /records/cars." So it names another document, and the folder with all
records about cars.
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.retrieval.document_search.known_documents import KnownDocuments
from controlplane.agent.retrieval.written_paths import paths_in


def linked_documents(documents: KnownDocuments, path: str) -> list[str]:
    """Return the documents whose paths are in the text of one document, as they are listed.

    `/docs/parking.md` -> `/docs/permits.md`
    """
    named = set(paths_in(documents.texts[path]))
    return [listed for listed in documents.listed.paths if listed in named]


def documents_naming_folders(
    documents: KnownDocuments, record_folders: Collection[str]
) -> list[str]:
    """Return the documents whose texts name one of these folders, except notices.

    `/records/cars` -> `/docs/parking.md`

    A notice is a document that changes others from a day on.
    """
    naming: list[str] = []
    for path, text in documents.texts.items():
        named_folders = set(paths_in(text)).intersection(record_folders)
        if named_folders and path not in documents.calendar.notices:
            naming.append(path)
    return naming
