"""Splits documents into parts, as texts: the pages of a PDF, the sheets of a workbook.

The parts of `report.pdf` are `page-1`, `page-2` and so on. The libraries that read the documents
take seconds to load, so only the worker that converts them imports this module.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

from controlplane.benchmarks.files.documents import pdf_text
from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.database_texts import (
    parquet_csv,
    sqlite_csv,
)
from controlplane.benchmarks.files.documents.docx_text import docx_to_markdown
from controlplane.benchmarks.files.documents.html.html_text import html_to_markdown
from controlplane.benchmarks.files.documents.mail_parts import MailPart
from controlplane.benchmarks.files.documents.mail_text import mail_parts, mails_of
from controlplane.benchmarks.files.documents.spreadsheets import sheets_of
from controlplane.sandbox.interface import CallError, error_codes

NO_TEXT: Final = "(No text: this page is an image, or empty.)"
MAX_MAIL_LEVELS: Final = 3
"""The most nested mails whose attachments are read. A mail can contain itself many times."""


def parts_of(suffix: str, data: bytes, mail_level: int = 0) -> list[DocumentPart]:
    """Return the parts of a document, with their places below it:

    | suffix           | places                            |
    | ---------------- | --------------------------------- |
    | `.pdf`           | `page-1`, `page-2`                |
    | `.xlsx`          | `sheet-Costs.csv`                 |
    | `.db`            | `table-loans.csv`                 |
    | `.eml`           | `message`, `bill.pdf/page-1`      |
    | `.mbox`          | `message-1`, `message-2`          |
    | `.docx`, `.html` | one part with an empty place      |

    `mail_level` is the number of mails that it is attached to, one inside the other: 1 for an
    attachment of a mail.
    """
    match suffix:
        case ".pdf":
            return _pdf_parts(data)
        case ".xlsx":
            return _workbook_parts(data)
        case ".parquet":
            return [DocumentPart("", parquet_csv(data))]
        case ".sqlite" | ".sqlite3" | ".db":
            return _database_parts(data)
        case ".eml":
            return _mail_parts(data, "message", mail_level)
        case ".mbox":
            return _mailbox_parts(data, mail_level)
        case ".docx":
            return [DocumentPart("", docx_to_markdown(BytesIO(data)))]
        case _:  # An HTML page.
            return [DocumentPart("", html_to_markdown(data.decode("utf-8", "replace")))]


def _pdf_parts(data: bytes) -> list[DocumentPart]:
    """Return the pages of a PDF; one empty part if no page has text.

    Raises `CallError` if the PDF needs a password.
    """
    try:
        texts = pdf_text.page_texts(data)
    except pdf_text.NeedsPassword:
        raise CallError(error_codes.INVALID_ARGUMENT, "needs a password") from None
    if not any(texts):
        return [DocumentPart("", "")]
    parts = []
    for number, text in enumerate(texts, start=1):
        parts.append(DocumentPart(f"page-{number}", text or NO_TEXT))
    return parts


def _workbook_parts(data: bytes) -> list[DocumentPart]:
    """Return the sheets of a workbook: `sheet-Costs.csv`."""
    parts = []
    for sheet in sheets_of(data):
        place = f"sheet-{sheet.title}.csv"
        parts.append(DocumentPart(place, sheet.text, sheet.notes))
    return parts


def _database_parts(data: bytes) -> list[DocumentPart]:
    """Return the tables of an SQLite database: `table-loans.csv`."""
    parts = []
    for name, text in sqlite_csv(data).items():
        parts.append(DocumentPart(f"table-{name}.csv", text))
    return parts


def _mailbox_parts(data: bytes, mail_level: int) -> list[DocumentPart]:
    """Return the mails of an mbox file with their attachments: `message-1`, `message-2`."""
    parts = []
    for number, mail in enumerate(mails_of(data), start=1):
        parts += _mail_parts(mail, f"message-{number}", mail_level)
    return parts


def _mail_parts(data: bytes, name: str, mail_level: int) -> list[DocumentPart]:
    """Return the parts of a mail: its text, named `name`, and its attachments.

    If a file has only one mail, `name` is `message`, and attachments keep their names,
    such as `bill.pdf`. If it has several, the mail's name comes first:
    `message-2-bill.pdf`.
    """
    message, *attachments = mail_parts(data)
    parts = [DocumentPart(name, message.text or "")]
    is_only_mail = name == "message"
    for attachment in attachments:
        place = attachment.name if is_only_mail else f"{name}-{attachment.name}"
        if attachment.text is not None:  # A text can be used as it is.
            parts.append(DocumentPart(place, attachment.text))
        elif attachment.suffix and mail_level < MAX_MAIL_LEVELS:  # A document.
            parts += _attached_parts(place, attachment, mail_level + 1)
        # Anything else, such as an image, is only named in the mail's text.
    return parts


def _attached_parts(
    place: str, attachment: MailPart, mail_level: int
) -> list[DocumentPart]:
    """Return the parts of an attached document. If it cannot be read, its text says why.

    Their places begin with `place`: `bill.pdf/page-1`.
    """
    try:
        inner_parts = parts_of(attachment.suffix, attachment.data, mail_level)
    except CallError as error:
        return [DocumentPart(place, f"({error.message})")]
    except Exception:  # noqa: BLE001 - a library's parser may raise anything for a broken file
        return [DocumentPart(place, "(cannot be converted)")]
    parts = []
    for part in inner_parts:
        inner_place = f"{place}/{part.place}" if part.place else place
        parts.append(DocumentPart(inner_place, part.text, part.notes))
    return parts
