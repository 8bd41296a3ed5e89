"""Values that lead to a person or place: web and mail addresses, accounts, telephones; quotations."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.spans import Form, Span, ValueKind, WrittenValue

# Reads text between quotation marks: `"to be paid"`, `„to be paid“`, `` `paid == True` ``.

MOST_QUOTED_CHARS: Final = 300
"""A text of this length between quotation marks is not a quotation.

Its marks probably belong to two quotations: the first one ends, and the second one begins.
"""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
"""Each opening quotation mark, with the marks that may close it: `„` with `“` or `”`."""
UNIT_OF_CODE: Final = "code"
"""The `unit` of a quotation in back quotes. A quotation of prose has none."""


def _quotation_between(opening: str, closing: str) -> str:
    """Return a pattern of quoted text on one line: `„[^\\n“”]+[“”]`."""
    return f"{opening}[^\n{closing}]+[{closing}]"


_QUOTATION: Final = "|".join(
    _quotation_between(opening, closing) for opening, closing in _QUOTATION_SIGNS
)
"""`"to be paid"`, `„to be paid“`, `` `paid == True` ``"""


def _read_quotation(span: Span) -> list[WrittenValue]:
    """Return the text between quotation marks: `"to be paid"` -> `to be paid`.

    Text between back quotes gets the unit `code`, because code must match exactly. A
    single character is not a quotation.
    """
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if len(stripped) < 2 or len(stripped) >= MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = UNIT_OF_CODE if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(ValueKind.QUOTATION, stripped, start, end, stripped, unit)]


QUOTATIONS: Final = Form(ValueKind.QUOTATION, _QUOTATION, _read_quotation)


# Reads web and mail addresses: `https://Example.org/a/`, `Ada@example.org`.

_NOT_IN_URL: Final = r"\s<>()\[\]\"'`{}|\\^"
_ENDS_SENTENCE: Final = ".,;:!?"
_START_OF_URL: Final = r"(?i)\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)"
"""`https://`, `www.`"""
_REST_OF_URL: Final = rf"[^{_NOT_IN_URL}]*[^{_NOT_IN_URL}{_ENDS_SENTENCE}]"
"""`example.org/a?b=1`; a comma or point behind it belongs to the sentence."""
_URL: Final = _START_OF_URL + _REST_OF_URL
"""`https://example.org/a?b=1`, `www.example.org`"""
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def read_url(span: Span) -> list[WrittenValue]:
    """Read a web address: `https://example.org/a/` -> `example.org/a`."""
    return [span.value(ValueKind.URL, _canonical_url(span.written))]


def _canonical_url(url: str) -> str:
    """Return the canonical form of a URL: `HTTPS://Example.org:443/Docs/` -> `example.org/Docs`.

    Removes the scheme, the default port and a closing slash, and puts the host in lower
    case and ASCII. Keeps the case of the path, where `Docs` and `docs` may differ.
    """
    scheme, separator, address = url.partition("://")
    if not separator:  # `www.example.org`
        scheme = "http"
        address = url
    host_end = len(address)
    for sign in "/?#":
        position = address.find(sign)
        if position >= 0:
            host_end = min(host_end, position)
    host = address[:host_end].casefold()
    default_port = _DEFAULT_PORTS.get(scheme.casefold())
    if default_port is not None:
        host = host.removesuffix(default_port)
    return punycode(host) + address[host_end:].rstrip("/")


def punycode(host: str) -> str:
    """Return a host's name in ASCII: `müller.de` -> `xn--mller-kva.de`."""
    if host.isascii():
        return host
    labels: list[str] = []
    for label in host.split("."):
        if label.isascii():
            labels.append(label)
        else:
            labels.append("xn--" + label.encode("punycode").decode("ascii"))
    return ".".join(labels)


_MAIL: Final = r"[\pL\pN_.+%'-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+"
"""`ada.lovelace+tax@example.org`"""


def read_mail(span: Span) -> list[WrittenValue]:
    """Read a mail address: `Ada@Müller.de` -> `ada@xn--mller-kva.de`."""
    local, _, host = span.written.casefold().rpartition("@")
    return [span.value(ValueKind.MAIL, f"{local}@{punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox to which most providers deliver: `ada.l+tax@x.org` -> `adal@x.org`."""
    local, _, host = mail.rpartition("@")
    without_tag = local.partition("+")[0]
    without_dots = without_tag.replace(".", "")
    return f"{without_dots}@{host}"


URLS: Final = Form(ValueKind.URL, _URL, read_url)
MAILS: Final = Form(ValueKind.MAIL, _MAIL, read_mail)
