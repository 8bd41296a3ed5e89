"""Converts mail to text: the main headers with the body, and each attachment.

A mail often has its text twice, plain and as HTML. Only the plain one is used, so that a search
does not find it twice. Each attachment becomes a part of its own (`mail_parts`). A file may
have one mail (`.eml`), or many (`.mbox`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from typing import Final

from controlplane.benchmarks.files.documents.html.html_text import html_to_markdown
from controlplane.benchmarks.files.documents.mail_parts import (
    MailPart,
    attachment_of,
    decoded,
)

HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
# Where a line may begin a mail: after an empty line, or at the start of the file.
_AFTER_EMPTY_LINE: Final = rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))"
# A header such as `Subject:` follows. Otherwise a sentence that begins with "From" would do.
_BEFORE_HEADER: Final = rb"(?=[\w-]+:)"
MAIL_START: Final = re.compile(_AFTER_EMPTY_LINE + rb"From [^\n]*\n" + _BEFORE_HEADER)
"""The line before each mail in an mbox file: `From ines@example.org Mon Jan 5 2026`."""


def mails_of(data: bytes) -> list[bytes]:
    """Return the mails in an mbox file, without the lines that divide them (`MAIL_START`)."""
    return MAIL_START.split(data)[1:]


def mail_parts(data: bytes) -> list[MailPart]:
    """Return the mail with its headers, then its attachments.

    The text of the mail names its attachments: `Attachment: bill.pdf, 20,480 bytes`.
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
        attachment = attachment_of(part, number)
        lines.append(f"Attachment: {attachment.name}, {len(attachment.data):,} bytes")
        attachments.append(attachment)
    message = MailPart(name="", text="\n".join([*lines, "", _body_text(body)]))
    return [message, *attachments]


def _header_lines(mail: EmailMessage) -> list[str]:
    """Return the lines of the main headers: `["From: ines@example.org", "Subject: Fees"]`."""
    lines = []
    for header in HEADERS:
        for value in mail.get_all(header, ()):
            lines.append(f"{header}: {value}")
    return lines


def _body_text(body: MIMEPart | None) -> str:
    """Return the text of a mail; HTML becomes Markdown. Empty if the mail has no text."""
    if body is None:
        return ""
    text = decoded(body)
    if body.get_content_type() == "text/html":
        return html_to_markdown(text)
    return text


def _leaves(part: MIMEPart, body: MIMEPart | None) -> Iterator[MIMEPart]:
    """Yield the parts of a mail that have no parts, or are mails themselves: body, attachments.

    `part` is the mail or a part that contains others, and `body` the text that is used. A
    `multipart/alternative` part has the same text in several forms, such as plain text and
    HTML. If one of them is `body`, the others are left out.
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
