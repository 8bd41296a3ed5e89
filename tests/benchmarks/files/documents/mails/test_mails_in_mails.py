"""Mails in mails: a part of a mail may be another mail, which is read as an attachment's folder.

Attachments without a name are numbered: `attachment-2.eml/message` is the text of a mail in the
mail.
"""

from pathlib import Path

from tests.benchmarks.files.documents.mails.converted_mails import texts_of_mail


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
