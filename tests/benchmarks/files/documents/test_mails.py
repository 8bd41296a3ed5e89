"""Mails and mailboxes become messages and attachments, each a file to read.

Parts in several forms, mails in mails, digests and reports of delivery are read. A mail without the
parts that its head announces is read as a text, so that nothing is lost.
"""

from base64 import b64encode
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import FilesQuestion
from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.pdf_files import pdf_of_pages

# Mails as the texts that they become: each part of a mail is a file of its own.
#
#     texts_of_mail(folder, mail)    # {"message": "the text", "fees.txt": "twelve"}
#
# A mail `/a.eml` becomes `/a.eml/message`, and a file for each attachment, such as `/a.eml/fees.txt`.


def texts_of_mail(folder: Path, mail: bytes) -> dict[str, str]:
    """Return the texts that a mail becomes, by their names below it: `{"message": "twelve"}`.

    `mail` is the content of a file for it, without the first line.
    """
    (folder / "a.eml").write_bytes(b"MIME-Version: 1.0\n" + mail)
    sources = converted_sources(folder)
    return {path.removeprefix("/a.eml/"): text for path, text in sources.items()}


# A mail as a mail program sends it, in which each part is encoded in another way.
#
# It has the subject "Gebühr", the text "да" in an old encoding for Russian, and two attachments:
# "../fee.csv", which is `loan,fee` and `loan-07,12`, and "bill.pdf", which says "Pay 12 EUR.".

BILL = pdf_of_pages(["Pay 12 EUR."])


def mail_with_attachments() -> bytes:
    """Return the content of the file `a.eml`."""
    fees = _attachment(b'text/csv; name="../fee.csv"', b"loan,fee\nloan-07,12")
    bill = _attachment(b'application/pdf; name="bill.pdf"', BILL)
    mail = (
        b"From: Ines <ines@example.com>\n"
        b"Subject: =?utf-8?q?Geb=C3=BChr?=\n"
        b"Content-Type: multipart/mixed; boundary=next\n"
        b"\n"
        b"--next\n"
        b"Content-Type: text/plain; charset=koi8-r\n"
        b"Content-Transfer-Encoding: quoted-printable\n"
        b"\n"
        b"=C4=C1\n"
        b"--next\n"
        b"%s\n"
        b"--next\n"
        b"%s\n"
        b"--next--\n"
    )
    return mail % (fees, bill)


def _attachment(content_type: bytes, content: bytes) -> bytes:
    """Return an attachment as base64: `_attachment(b'text/csv; name="a.csv"', b"a,b")`."""
    head = (
        b"Content-Type: %s\n"
        b"Content-Transfer-Encoding: base64\n"
        b"Content-Disposition: attachment\n" % content_type
    )
    return b"%s\n%s\n" % (head, b64encode(content))


# Mails that have their text in several forms, of which a mail program shows the last it can.
#
# The plain text becomes the file `message`, and what the other forms have beside it is not lost.


def test_file_in_an_alternative_to_the_text_is_read(tmp_path: Path) -> None:
    """The message is there as plain text, and as HTML together with a file.

    A mail program shows the last form that it can show. Here the plain text is the message, and
    the file must not be lost with the HTML.
    """
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/alternative; boundary=outer\n"
        b"\n"
        b"--outer\n"
        b"\n"
        b"plain\n"
        b"--outer\n"
        b"Content-Type: multipart/mixed; boundary=inner\n"
        b"\n"
        b"--inner\n"
        b"Content-Type: text/html\n"
        b"\n"
        b"<p>read <b>the bold</b></p>\n"
        b"--inner\n"
        b"Content-Type: text/plain\n"
        b"Content-Disposition: attachment; filename=fees.txt\n"
        b"\n"
        b"twelve\n"
        b"--inner--\n"
        b"--outer--\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "plain" in texts["message"]
    assert "twelve" in texts["fees.txt"]


# Mails that do not have the parts which their head announces. Their text is not lost.


def test_mail_of_parts_without_a_line_between_them_is_read_as_a_text(
    tmp_path: Path,
) -> None:
    """The head says that a line `--next` parts the parts, but there is none."""
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/report; boundary=next\n"
        b"\n"
        b"it never came\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "it never came" in texts["attachment-1"]


# Reports of a mail server, by mail, that it could not deliver a mail.
#
# A report has a text for people, a status for programs ("Action: failed"), and the mail that it is
# about. The text becomes the file `message`; the others become `attachment-1` and `attachment-2.eml`.


def test_delivery_status_is_read_as_a_text(tmp_path: Path) -> None:
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: message/delivery-status\n"
        b"\n"
        b"Reporting-MTA: dns; x\n"
        b"\n"
        b"Action: failed\n"
        b"Status: 5.1.1\n"
        b"\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "Status: 5.1.1" in texts["attachment-1"]


def test_report_has_a_text_a_delivery_status_and_the_mail_that_it_is_about(
    tmp_path: Path,
) -> None:
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/report; boundary=next\n"
        b"\n"
        b"--next\n"
        b"\n"
        b"no such user\n"
        b"--next\n"
        b"Content-Type: message/delivery-status\n"
        b"\n"
        b"Reporting-MTA: dns; x\n"
        b"\n"
        b"Action: failed\n"
        b"Status: 5.1.1\n"
        b"\n"
        b"--next\n"
        b"Content-Type: message/rfc822\n"
        b"\n"
        b"From: a@example.org\n"
        b"Subject: inner\n"
        b"\n"
        b"the inner text\n"
        b"--next--\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "no such user" in texts["message"]
    assert "Action: failed" in texts["attachment-1"]
    assert "Subject: inner" in texts["attachment-2.eml/message"]


# A mail in a folder of documents becomes its message and its attachments, each a file to read.
#
# The mail `a.eml` has a message and two attachments, "../fee.csv" and "bill.pdf". It becomes
# `/a.eml/message`, `/a.eml/-fee.csv`, and a file for each page of the PDF.


@pytest.fixture
def folder_with_mail(tmp_path: Path) -> Path:
    """A folder with the mail `a.eml`, and nothing else."""
    (tmp_path / "a.eml").write_bytes(mail_with_attachments())
    return tmp_path


def test_mail_becomes_its_message_and_its_attachments(folder_with_mail: Path) -> None:
    """Subject, text and attachments are encoded in different ways, and are decoded.

    The attachment "../fee.csv" becomes "/a.eml/-fee.csv": it must stay in the mail's folder.
    """
    sources = converted_sources(folder_with_mail)

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


def test_mail_can_be_read_as_a_whole(folder_with_mail: Path) -> None:
    """`read` of the mail's own path returns all its parts, each below its name."""
    question = FilesQuestion("What?", converted_sources(folder_with_mail))
    environment = FilesEnvironment(question)

    text = environment.call("read", {"path": "/a.eml"})["content"]

    assert isinstance(text, str)
    assert "[bill.pdf/page-1]\nPay 12 EUR." in text
    assert environment.knows_file("/a.eml")


# A mailbox is a file of many mails. It becomes a folder with its messages: `/in.mbox/message-1`.


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


# Mails in mails: a part of a mail may be another mail, which is read as an attachment's folder.
#
# Attachments without a name are numbered: `attachment-2.eml/message` is the text of a mail in the
# mail.


def test_forwarded_mail_is_a_mail_in_the_folder_of_the_outer_one(
    tmp_path: Path,
) -> None:
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: message/rfc822\n"
        b"\n"
        b"From: a@example.org\n"
        b"Subject: inner\n"
        b"\n"
        b"the inner text\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "the inner text" in texts["attachment-1.eml/message"]


def test_part_of_a_digest_is_a_mail(tmp_path: Path) -> None:
    """A mailing list may send the mails of a day in one, as parts without a type."""
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/digest; boundary=next\n"
        b"\n"
        b"--next\n"
        b"\n"
        b"From: a@example.org\n"
        b"Subject: first\n"
        b"\n"
        b"the first text\n"
        b"--next\n"
        b"\n"
        b"From: b@example.org\n"
        b"Subject: second\n"
        b"\n"
        b"the second text\n"
        b"--next--\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "the first text" in texts["attachment-1.eml/message"]
    assert "the second text" in texts["attachment-2.eml/message"]


# Mails of several parts, which a line such as `--next` parts from one another.
#
# The first text becomes the file `message`. Whatever else there is becomes an attachment, such as
# `attachment-1.html`.


def test_html_beside_a_text_is_an_attachment(tmp_path: Path) -> None:
    """HTML becomes Markdown: `<b>the bold</b>` is `**the bold**`."""
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/mixed; boundary=next\n"
        b"\n"
        b"--next\n"
        b"\n"
        b"above\n"
        b"--next\n"
        b"Content-Type: text/html\n"
        b"\n"
        b"<p>read <b>the bold</b></p>\n"
        b"--next--\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "above" in texts["message"]
    assert "**the bold**" in texts["attachment-1.html"]


def test_text_of_a_part_within_a_part_is_an_attachment(tmp_path: Path) -> None:
    """The second part consists of one part itself, which is the text "below"."""
    mail = (
        b"From: x@example.org\n"
        b"Content-Type: multipart/mixed; boundary=outer\n"
        b"\n"
        b"--outer\n"
        b"\n"
        b"above\n"
        b"--outer\n"
        b"Content-Type: multipart/mixed; boundary=inner\n"
        b"\n"
        b"--inner\n"
        b"\n"
        b"below\n"
        b"--inner--\n"
        b"--outer--\n"
    )

    texts = texts_of_mail(tmp_path, mail)

    assert "above" in texts["message"]
    assert "below" in texts["attachment-1"]
