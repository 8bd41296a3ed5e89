"""Reads quotations, web and mail addresses, account numbers and telephone numbers.

The forms are at the end; above them is the pattern and the reader of each.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import (
    Kind,
    Span,
    WrittenValue,
    is_word_character,
)

MOST_QUOTED_CHARS: Final = 300
"""A longer text between quotation marks is not a quotation, but the text between two quotations."""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
"""Each opening quotation mark, with the marks that may close it."""
UNIT_OF_CODE: Final = "code"
"""The `unit` of a quotation in back quotes. A quotation of prose has none."""


def _quotation_between(opening: str, closing: str) -> str:
    """Return a pattern of quoted text on one line: `„[^\\n“”]+[“”]`."""
    return f"{opening}[^\n{closing}]+[{closing}]"


_QUOTATION: Final = "|".join(
    _quotation_between(opening, closing) for opening, closing in _QUOTATION_SIGNS
)
"""`"to be paid"`, `„to be paid“`, `` `paid == True` ``"""


def read_quotation(span: Span) -> list[WrittenValue]:
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
    return [WrittenValue(Kind.QUOTATION, stripped, start, end, stripped, unit)]


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


_IBAN_BLANK: Final = r"[ \x{a0}-]?"
_IBAN_COUNTRY_AND_CHECKSUM: Final = r"[A-Z]{2}\d{2}"
"""`DE89`"""
_IBAN_GROUPS: Final = (
    rf"(?:{_IBAN_BLANK}[A-Z\d]{{4}}){{2,7}}(?:{_IBAN_BLANK}[A-Z\d]{{1,3}})?"
)
"""Groups of four letters and digits, and a shorter last one: ` 3704 0044 0532 0130 00`."""
_IBAN: Final = rf"(?i)\b{_IBAN_COUNTRY_AND_CHECKSUM}{_IBAN_GROUPS}\b"
"""`DE89 3704 0044 0532 0130 00`. The standard allows 15 to 34 characters."""


def read_iban(span: Span) -> list[WrittenValue]:
    """Return an international account number if its checksum is right."""
    account = _letters_and_digits(span.written).upper()
    if not _has_iban_checksum(account):
        return []
    return [span.value(Kind.IBAN, account)]


def _has_iban_checksum(account: str) -> bool:
    """Check an account number by ISO 13616.

    The country and the checksum are moved to the end, and each letter becomes
    a number (A is 10, Z is 35). The resulting number must leave the remainder
    1 when divided by 97.
    """
    rearranged = account[4:] + account[:4]
    digits = ""
    for character in rearranged:
        digits += str(int(character, base=36))
    return int(digits) % 97 == 1


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


_TELEPHONE_START: Final = r"(?:\+|\(?0)\d{0,5}\)?"
"""The code of the country or the area: `+49`, `(030)`, `0171`."""
_TELEPHONE_GROUP: Final = r"(?:[ \x{a0}/.-]{0,3}\(?\d+\)?)"
"""Further digits: ` 123`, `/1234567`, ` (0)`."""
_TELEPHONE_FORMS: Final = (
    _TELEPHONE_START
    + _TELEPHONE_GROUP
    + "{1,8}",  # `+49 (0) 30 1234567`, `030/1234567`
    r"\(\d{3}\) ?\d{3}[ -]\d{4}",  # the American `(555) 123-4567`
    r"\b\d{3}-\d{3}-\d{4}\b",  # the American `555-123-4567`
)
_TELEPHONE: Final = "|".join(_TELEPHONE_FORMS)
"""Several telephone numbers in a row are one match: `030 1234567 +49 171 2345678`."""
LEAST_TELEPHONE_DIGITS: Final = 7
"""A number with fewer digits is taken for something else, such as an amount."""
MOST_TELEPHONE_DIGITS: Final = 15
"""The longest number by the recommendation E.164."""


def read_telephone(span: Span) -> list[WrittenValue]:
    """Return the telephone numbers of a match, which may contain several in a row.

    `030 1234567 +49 171 2345678` -> both numbers. A match next to a letter, digit or mark
    is a part of something else, such as an id, so it has none.
    """
    before = span.before(1)
    touches_mark = before != "" and before in ".,-/#_"
    if touches_mark or is_word_character(before) or is_word_character(span.behind(1)):
        return []
    values: list[WrittenValue] = []
    remaining = span.written
    while remaining:
        written = _first_telephone(remaining)
        canonical = _canonical_telephone(written)
        if not canonical:  # what remains is something else, such as an amount
            break
        start = span.end - len(remaining)
        end = start + len(written)
        values.append(WrittenValue(Kind.TELEPHONE, written, start, end, canonical))
        remaining = remaining[len(written) :].lstrip(" ")
    return values


def _first_telephone(written: str) -> str:
    """Return the first of several telephone numbers in a row.

    - `030 1234567 +49 171 2345678` ends before the plus sign, `(030) 1234567 (040)
      2345678` before the second parenthesis.
    - `030 1234567 0171 2345678` has no such sign, and too many digits for one number.
      Its last groups are dropped until at most `MOST_TELEPHONE_DIGITS` digits are left.
    """
    first = written
    for sign_of_next in (" +", " ("):
        # The first number has at least this many characters, so a sign in front of them
        # is its own: `+49 (30) 1234567`.
        position = first.find(sign_of_next, LEAST_TELEPHONE_DIGITS)
        if position >= 0:
            first = first[:position]
    while len(_digits_of(first)) > MOST_TELEPHONE_DIGITS and " " in first:
        first = first.rpartition(" ")[0]
    return first.rstrip(" /.-")


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number, or "" if it cannot be one.

    `+49 (0) 30 1234567`, `0049 30 1234567` -> `+49301234567`; `030 1234567` -> `0301234567`
    """
    if not _begins_like_telephone(written):
        return ""
    # The zero of `+49 (0) 30` is dialled only within the country.
    without_trunk_zero = written.replace("(0)", "")
    digits = _digits_of(without_trunk_zero)
    if not LEAST_TELEPHONE_DIGITS <= len(digits) <= MOST_TELEPHONE_DIGITS:
        return ""
    # `0049`. No country's code begins with 0.
    has_international_prefix = digits.startswith("00") and digits[2] != "0"
    if without_trunk_zero.startswith("+") or has_international_prefix:
        return "+" + digits.removeprefix("00")
    return digits


def _begins_like_telephone(written: str) -> bool:
    """Return True if digits begin like a telephone number rather than an amount.

    True for `+49 30 1234567`, `030 1234567` and `(030) 1234567`; false for `0.1234567`.
    The American `555-123-4567` begins with any digit, so a hyphen is enough.
    """
    if written.startswith("0."):
        return False
    return "-" in written or written[:1] in ("+", "0", "(")


def _digits_of(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


# `is_alone`: a match counts only if no letter or digit touches it.

QUOTATIONS: Final = Form(Kind.QUOTATION, _QUOTATION, read_quotation)
URLS: Final = Form(Kind.URL, _URL, read_url)
MAILS: Final = Form(Kind.MAIL, _MAIL, read_mail)
IBANS: Final = Form(Kind.IBAN, _IBAN, read_iban, is_alone=True)
TELEPHONES: Final = Form(Kind.TELEPHONE, _TELEPHONE, read_telephone)
