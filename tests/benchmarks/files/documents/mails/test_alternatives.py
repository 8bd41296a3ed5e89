"""Mails that have their text in several forms, of which a mail program shows the last it can.

The plain text becomes the file `message`, and what the other forms have beside it is not lost.
"""

from pathlib import Path

from tests.benchmarks.files.documents.mails.converted_mails import texts_of_mail


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
