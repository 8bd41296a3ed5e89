"""Finds the paths that the texts of documents name: of other documents, and of folders.

A document is a text for all requests. `/docs/parking.md` has the text "Permits: /docs/permits.md.
Each car has a file in /records/cars." So it names another document, and the folder with all
records about cars.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from controlplane.agent.retrieval.document_search.document import Document
from controlplane.agent.retrieval.written_paths import paths_in


def linked_documents(document: Document, paths: Iterable[str]) -> list[str]:
    """Return those of the `paths`, of all documents, that the text of one document names.

    `/docs/parking.md` -> `/docs/permits.md`
    """
    named = set(paths_in(document.text))
    return [path for path in paths if path in named]


def documents_naming_folders(
    documents: Iterable[Document], record_folders: Collection[str]
) -> list[str]:
    """Return the documents whose texts name one of these folders, except notices.

    `/records/cars` -> `/docs/parking.md`

    A notice is a document that changes others from a day on.
    """
    naming: list[str] = []
    for document in documents:
        named_folders = set(paths_in(document.text)).intersection(record_folders)
        if named_folders and not document.is_notice:
            naming.append(document.path)
    return naming
