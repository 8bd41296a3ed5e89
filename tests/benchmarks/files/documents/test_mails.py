"""Mails as documents: every text of a mail, also of its attachments, can be read.

A mail `/a.eml` becomes `/a.eml/message` and a file for each attachment, such as
`/a.eml/fees.txt`. An attachment without a name is `attachment-1`, and a PDF in a mail is
split into pages like any other.
"""

from base64 import b64encode
from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.files_question import FilesQuestion
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from tests.benchmarks.files.pdf_files import pdf_of_pages


def converted_sources(folder: Path) -> SourceFiles:
    """Return the sources of a folder, with its mails as texts."""
    sources = find_sources(folder)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources


# Parts of mails -------------------------------------------------------------------------------


def multipart(kind: bytes, *parts: bytes) -> bytes:
    """Return a part that consists of parts: `multipart(b"mixed", HTML_PART, FILE_PART)`."""
    # A part within a part needs another boundary. Its content has another length.
    boundary = b"%d" % sum(len(part) for part in parts)
    content = b""
    for part in parts:
        content += b"\n--%s\n%s" % (boundary, part)
    head = b"Content-Type: multipart/%s; boundary=%s" % (kind, boundary)
    return b"%s\n\n%s\n--%s--\n" % (head, content, boundary)


def attachment(content_type: bytes, content: bytes) -> bytes:
    """Return an attachment as base64: `attachment(b'text/csv; name="a.csv"', b"a,b")`."""
    head = (
        b"Content-Type: %s\n"
        b"Content-Transfer-Encoding: base64\n"
        b"Content-Disposition: attachment\n" % content_type
    )
    return b"%s\n%s\n" % (head, b64encode(content))


BILL = pdf_of_pages(["Pay 12 EUR."])
SUBJECT_WITH_UMLAUT = b"Subject: =?utf-8?q?Geb=C3=BChr?=\n"
"""The subject "Gebühr"."""
RUSSIAN_PART = (
    b"Content-Type: text/plain; charset=koi8-r\n"
    b"Content-Transfer-Encoding: quoted-printable\n\n"
    b"=C4=C1"
)
"""The text "да", in an old encoding for Russian."""

MAIL = (
    b"From: Ines <ines@example.com>\n"
    + SUBJECT_WITH_UMLAUT
    + multipart(
        b"mixed",
        RUSSIAN_PART,
        # This name must not lead out of the folder of the mail.
        attachment(b'text/csv; name="../fee.csv"', b"loan,fee\nloan-07,12"),
        attachment(b'application/pdf; name="bill.pdf"', BILL),
    )
)

# Mails and mailboxes --------------------------------------------------------------------------


def test_mail_becomes_its_message_and_its_attachments(tmp_path: Path) -> None:
    """Subject, text and attachments are encoded in different ways, and are decoded.

    The attachment "../fee.csv" becomes "/a.eml/-fee.csv".
    """
    (tmp_path / "a.eml").write_bytes(MAIL)

    sources = converted_sources(tmp_path)

    message = (
        "From: Ines <ines@example.com>\n"
        "Subject: Gebühr\n"
        "Attachment: ..-fee.csv, 19 bytes\n"
        f"Attachment: bill.pdf, {len(BILL)} bytes\n"
        "\n"
        "да"
    )
    assert dict(sources) == {
        "/a.eml/message": message,
        "/a.eml/-fee.csv": "loan,fee\nloan-07,12",
        "/a.eml/bill.pdf/page-1": "Pay 12 EUR.",
    }


def test_mail_can_be_read_as_a_whole(tmp_path: Path) -> None:
    """`read` of the mail's own path returns all its parts, each below its name."""
    (tmp_path / "a.eml").write_bytes(MAIL)
    question = FilesQuestion("What?", converted_sources(tmp_path))
    environment = FilesEnvironment(question)

    text = environment.call("read", {"path": "/a.eml"})["content"]

    assert isinstance(text, str)
    assert "[bill.pdf/page-1]\nPay 12 EUR." in text
    assert environment.knows_file("/a.eml")


def test_mailbox_becomes_its_messages(tmp_path: Path) -> None:
    """A message begins with a line `From ` after a blank line. "From here" is text."""
    (tmp_path / "in.mbox").write_bytes(
        b"From x\nSubject: first\n\nFrom here\n\nFrom y\nSubject: second\n\nlast\n"
    )

    sources = converted_sources(tmp_path)

    assert dict(sources) == {
        "/in.mbox/message-1": "Subject: first\n\nFrom here\n\n",
        "/in.mbox/message-2": "Subject: second\n\nlast\n",
    }


# The kinds of parts --------------------------------------------------------------------------

FORWARDED_MAIL = b"From: a@example.org\nSubject: inner\n\nthe inner text\n"
FORWARDED_PART = b"Content-Type: message/rfc822\n\n" + FORWARDED_MAIL
STATUS_PART = (
    b"Content-Type: message/delivery-status\n\n"
    b"Reporting-MTA: dns; x\n\nAction: failed\nStatus: 5.1.1\n\n"
)
"""What a mail server says about a mail that it could not deliver."""
HTML_PART = b"Content-Type: text/html\n\n<p>read <b>the bold</b></p>\n"
FILE_PART = (
    b"Content-Type: text/plain\n"
    b"Content-Disposition: attachment; filename=fees.txt\n\n"
    b"twelve\n"
)


def text_part(text: bytes) -> bytes:
    """Return a part of plain text, which needs no header."""
    return b"\n%s\n" % text


@pytest.mark.parametrize(
    ("content", "expected_texts"),
    [
        pytest.param(
            FORWARDED_PART,
            {"attachment-1.eml/message": "the inner text"},
            id="forwarded mail",
        ),
        pytest.param(
            STATUS_PART, {"attachment-1": "Status: 5.1.1"}, id="delivery status"
        ),
        pytest.param(
            multipart(
                b"report", text_part(b"no such user"), STATUS_PART, FORWARDED_PART
            ),
            {
                "message": "no such user",
                "attachment-1": "Action: failed",
                "attachment-2.eml/message": "Subject: inner",
            },
            id="report with a status and a mail",
        ),
        pytest.param(
            multipart(b"digest", b"\n" + FORWARDED_MAIL, b"\n" + FORWARDED_MAIL),
            {"attachment-2.eml/message": "the inner text"},
            id="digest of mails",
        ),
        pytest.param(
            multipart(b"mixed", text_part(b"above"), HTML_PART),
            {"message": "above", "attachment-1.html": "**the bold**"},
            id="text and HTML",
        ),
        pytest.param(
            multipart(
                b"mixed", text_part(b"above"), multipart(b"mixed", text_part(b"below"))
            ),
            {"message": "above", "attachment-1": "below"},
            id="parts within a part",
        ),
        pytest.param(
            multipart(
                b"alternative",
                text_part(b"plain"),
                multipart(b"mixed", HTML_PART, FILE_PART),
            ),
            {"message": "plain", "fees.txt": "twelve"},
            id="alternative with a file",
        ),
        pytest.param(
            b"Content-Type: multipart/report; boundary=x\n\nit never came\n",
            {"attachment-1": "it never came"},
            id="parts without a boundary",
        ),
    ],
)
def test_every_text_of_a_mail_can_be_read(
    tmp_path: Path, content: bytes, expected_texts: dict[str, str]
) -> None:
    """Each case is a mail without its first lines, and a piece of each text that it becomes.

    The key `attachment-1.html` stands for the file `/a.eml/attachment-1.html`.
    """
    head = b"From: x@example.org\nMIME-Version: 1.0\n"
    (tmp_path / "a.eml").write_bytes(head + content)

    sources = converted_sources(tmp_path)

    for name, text in expected_texts.items():
        assert text in sources[f"/a.eml/{name}"]
