"""Reads web and mail addresses: `https://Example.org/a/`, `Ada@example.org`."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

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
    return [span.value(Kind.URL, canonical_url(span.written))]


def canonical_url(url: str) -> str:
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
    return [span.value(Kind.MAIL, f"{local}@{punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox to which most providers deliver: `ada.l+tax@x.org` -> `adal@x.org`."""
    local, _, host = mail.rpartition("@")
    without_tag = local.partition("+")[0]
    without_dots = without_tag.replace(".", "")
    return f"{without_dots}@{host}"


URLS: Final = Form(Kind.URL, _URL, read_url)
MAILS: Final = Form(Kind.MAIL, _MAIL, read_mail)
