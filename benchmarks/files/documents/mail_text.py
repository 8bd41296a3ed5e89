"""Converts mail to text: the main headers with the body, and each attachment.

A mail often has its text twice, plain and as HTML. Only the plain one is used. Each
attachment becomes a part of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.documents.html_text import html_to_markdown

HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
TYPED_SUFFIXES: Final = {"message/rfc822": ".eml", "text/html": ".html"}
"""The suffixes for attachments of these types, regardless of their names."""
# Where a line may begin a mail: after an empty line, or at the start of the file.
_AFTER_EMPTY_LINE: Final = rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))"
# A header such as `Subject:` follows. Otherwise a sentence that begins with "From" would do.
_BEFORE_HEADER: Final = rb"(?=[\w-]+:)"
MAIL_START: Final = re.compile(_AFTER_EMPTY_LINE + rb"From [^\n]*\n" + _BEFORE_HEADER)
"""The line before each mail in an mbox file: `From ines@example.org Mon Jan 5 2026`."""


@dataclass(frozen=True, slots=True)
class MailPart:
    """The mail itself, or one of its attachments.

    It is one of three: a text (`text` is set), a document that can be converted to text
    (`suffix` is set), or other data, such as an image.
    """

    name: str
    text: str | None = None
    suffix: str = ""
    """The suffix of a document, such as `.pdf`."""
    data: bytes = b""


def mails_of(data: bytes) -> list[bytes]:
    """Return the mails in an mbox file."""
    return MAIL_START.split(data)[1:]


def mail_parts(data: bytes, is_document: Callable[[str], bool]) -> list[MailPart]:
    """Return the mail with its headers, then its attachments.

    `is_document` returns True for suffixes of documents that can be converted.
    """
    mail = message_from_bytes(data, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    lines = _header_lines(mail)
    body = mail.get_body(("plain", "html"))
    attachments: list[MailPart] = []
    for part in _leaves(mail, body):
        if part is body:
            continue
        number = len(attachments) + 1
        attachment = _attachment(part, number, is_document)
        lines.append(f"Attachment: {attachment.name}, {len(attachment.data):,} bytes")
        attachments.append(attachment)
    message = MailPart(name="", text="\n".join([*lines, "", _body_text(body)]))
    return [message, *attachments]


def _header_lines(mail: EmailMessage) -> list[str]:
    lines = []
    for header in HEADERS:
        for value in mail.get_all(header, ()):
            lines.append(f"{header}: {value}")
    return lines


def _body_text(body: MIMEPart | None) -> str:
    """Return the text of a mail; HTML becomes Markdown. Empty if the mail has no text."""
    if body is None:
        return ""
    text = _decoded(body)
    if body.get_content_type() == "text/html":
        return html_to_markdown(text)
    return text


def _attachment(
    part: MIMEPart, number: int, is_document: Callable[[str], bool]
) -> MailPart:
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
        return MailPart(name, text=_decoded(part), data=data)

    suffix = type_suffix or Path(name).suffix.lower()
    if suffix == ".html":
        # The mail names the character set, not the document. So pass the document on in UTF-8.
        return MailPart(name, suffix=suffix, data=_decoded(part).encode())
    if is_document(suffix):
        return MailPart(name, suffix=suffix, data=data)
    return MailPart(name, data=data)


def _leaves(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """Yield the parts of a mail that have no parts, or are mails themselves.

    A `multipart/alternative` part has the same text in several forms, such as plain
    text and HTML. If one of them is `body`, the others are left out.
    """
    is_container = part.get_content_maintype() == "multipart" and part.is_multipart()
    if not is_container:
        yield part
        return
    contains_body = any(part_inside is body for part_inside in part.walk())
    has_forms_of_body = part.get_content_subtype() == "alternative" and contains_body
    for part_below in part.iter_parts():
        for leaf in _leaves(part_below, body):
            if has_forms_of_body and _is_other_text(leaf, body):
                continue
            yield leaf


def _is_other_text(leaf: MIMEPart, body: MIMEPart | None) -> bool:
    """Return True if a part is a text other than the body, and not an attachment."""
    is_text = leaf.get_content_maintype() == "text"
    return is_text and leaf is not body and not leaf.is_attachment()


def _bytes_of(part: MIMEPart) -> bytes:
    """Return the content of a part, or that of all parts in it, such as an attached mail."""
    if part.is_multipart():
        return b"\n".join(below.as_bytes() for below in part.iter_parts())
    data = part.get_payload(decode=True)
    assert isinstance(data, bytes)
    return data


def _decoded(part: MIMEPart) -> str:
    """Return the text of a part. If its character set is unknown, read it as Latin-1."""
    data = _bytes_of(part)
    try:
        text = data.decode(part.get_content_charset("utf-8"))
    except (LookupError, UnicodeDecodeError):
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")
