"""A mail in a folder of documents becomes its message and its attachments, each a file to read.

The mail `a.eml` has a message and two attachments, "../fee.csv" and "bill.pdf". It becomes
`/a.eml/message`, `/a.eml/-fee.csv`, and a file for each page of the PDF.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import FilesQuestion
from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.documents.mails.encoded_mail import (
    BILL,
    mail_with_attachments,
)


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
