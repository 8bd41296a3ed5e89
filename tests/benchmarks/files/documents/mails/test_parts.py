"""Mails of several parts, which a line such as `--next` parts from one another.

The first text becomes the file `message`. Whatever else there is becomes an attachment, such as
`attachment-1.html`.
"""

from pathlib import Path

from tests.benchmarks.files.documents.mails.converted_mails import texts_of_mail


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
