"""A mail as a mail program sends it, in which each part is encoded in another way.

It has the subject "Gebühr", the text "да" in an old encoding for Russian, and two attachments:
"../fee.csv", which is `loan,fee` and `loan-07,12`, and "bill.pdf", which says "Pay 12 EUR.".
"""

from base64 import b64encode

from tests.benchmarks.files.pdf_files import pdf_of_pages

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
