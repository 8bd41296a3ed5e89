"""Mails that do not have the parts which their head announces. Their text is not lost."""

from pathlib import Path

from tests.benchmarks.files.documents.mails.converted_mails import texts_of_mail


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
