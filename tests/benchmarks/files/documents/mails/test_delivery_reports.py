"""Reports of a mail server, by mail, that it could not deliver a mail.

A report has a text for people, a status for programs ("Action: failed"), and the mail that it is
about. The text becomes the file `message`; the others become `attachment-1` and `attachment-2.eml`.
"""

from pathlib import Path

from tests.benchmarks.files.documents.mails.converted_mails import texts_of_mail


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
