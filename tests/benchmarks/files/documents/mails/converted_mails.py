"""Mails as the texts that they become: each part of a mail is a file of its own.

    texts_of_mail(folder, mail)    # {"message": "the text", "fees.txt": "twelve"}

A mail `/a.eml` becomes `/a.eml/message`, and a file for each attachment, such as `/a.eml/fees.txt`.
"""

from pathlib import Path

from tests.benchmarks.files.documents.converted_sources import converted_sources


def texts_of_mail(folder: Path, mail: bytes) -> dict[str, str]:
    """Return the texts that a mail becomes, by their names below it: `{"message": "twelve"}`.

    `mail` is the content of a file for it, without the first line.
    """
    (folder / "a.eml").write_bytes(b"MIME-Version: 1.0\n" + mail)
    sources = converted_sources(folder)
    return {path.removeprefix("/a.eml/"): text for path, text in sources.items()}
