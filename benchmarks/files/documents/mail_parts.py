"""A part of a mail as a text or a document: `bill.pdf`, or the mail's own text.

Attachments come with any name and any encoding. A text is decoded at once, a document such as
`bill.pdf` is converted later, and anything else, such as an image, is only named.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.message import MIMEPart
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES

TYPED_SUFFIXES: Final = {"message/rfc822": ".eml", "text/html": ".html"}
"""The suffixes for attachments of these types, regardless of their names."""


@dataclass(frozen=True, slots=True)
class MailPart:
    """The mail itself, or one of its attachments.

    It is one of three: a text (`text` is set), a document that can be converted to text
    (`suffix` is set), or other data, such as an image.
    """

    name: str
    """`bill.pdf`; empty for the mail itself."""
    text: str | None = None
    suffix: str = ""
    """The suffix of a document, such as `.pdf`."""
    data: bytes = b""


def attachment_of(part: MIMEPart, number: int) -> MailPart:
    """Return an attachment: a text, a document that can be converted to text, or other data.

    `number` makes a name for an attachment that has none: `attachment-2`.
    """
    type_suffix = TYPED_SUFFIXES.get(part.get_content_type(), "")
    name = part.get_filename() or f"attachment-{number}{type_suffix}"
    name = name.replace("/", "-")
    data = _bytes_of(part)
    # A report that a mail could not be delivered is a `message`. A `multipart` here has
    # no parts, because the mail is damaged.
    is_text = part.get_content_maintype() in ("text", "message", "multipart")
    if is_text and not type_suffix:
        return MailPart(name, text=decoded(part), data=data)

    suffix = type_suffix or Path(name).suffix.lower()
    if suffix == ".html":
        # The mail names the character set, not the document. So pass the document on in UTF-8.
        return MailPart(name, suffix=suffix, data=decoded(part).encode())
    if suffix in DOCUMENT_SUFFIXES:
        return MailPart(name, suffix=suffix, data=data)
    return MailPart(name, data=data)


def _bytes_of(part: MIMEPart) -> bytes:
    """Return the content of a part, or that of all parts in it, such as an attached mail."""
    if part.is_multipart():
        return b"\n".join(below.as_bytes() for below in part.iter_parts())
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return data


def decoded(part: MIMEPart) -> str:
    """Return the text of a part. If its character set is unknown, read it as Latin-1."""
    data = _bytes_of(part)
    try:
        text = data.decode(part.get_content_charset("utf-8"))
    except (LookupError, UnicodeDecodeError):
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")
