"""Reads quotations, web and mail addresses, account numbers and telephone numbers.

Each kind has a pattern, with which `written_values` searches a text, and a function that turns a
match into values. A function returns no value if the match turns out to be something else.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue, is_word_character

MOST_QUOTED_CHARS: Final = 300
"""A longer text between quotation marks is not a quotation, but the text between two quotations."""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
"""Each opening quotation mark, with the marks that may close it."""
QUOTATION_PATTERN: Final = "|".join(
    f"{opening}[^\n{closing}]+[{closing}]" for opening, closing in _QUOTATION_SIGNS
)


def read_quotation(span: Span) -> list[WrittenValue]:
    """Return the text between quotation marks: `"to be paid"` -> `to be paid`.

    Text between back quotes gets the unit `code`, because code must match exactly.
    """
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if not 1 < len(stripped) < MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = "code" if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(Kind.QUOTATION, stripped, start, end, stripped, unit)]


_NOT_IN_URL: Final = r"\s<>()\[\]\"'`{}|\\^"
_ENDS_SENTENCE: Final = ".,;:!?"
URL_PATTERN: Final = (
    r"(?i)\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)"
    rf"[^{_NOT_IN_URL}]*[^{_NOT_IN_URL}{_ENDS_SENTENCE}]"
)
"""`https://example.org/a?b=1`, `www.example.org`; a comma or point after it is left out."""
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def read_url(span: Span) -> list[WrittenValue]:
    return [span.value(Kind.URL, canonical_url(span.written))]


def canonical_url(url: str) -> str:
    """Return the canonical form of a URL, which is the same for all spellings of an address.

    `HTTPS://Example.org:443/Docs/` -> `example.org/Docs`: Removes the scheme, the default port and
    a closing slash, and puts the host in lower case and ASCII. Keeps the case of the path.
    """
    scheme, separator, address = url.partition("://")
    if not separator:
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


MAIL_PATTERN: Final = r"[\pL\pN_.+%'-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+"
"""`ada.lovelace+tax@example.org`"""


def read_mail(span: Span) -> list[WrittenValue]:
    local, _, host = span.written.casefold().rpartition("@")
    return [span.value(Kind.MAIL, f"{local}@{punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox to which most providers deliver: `ada.l+tax@x.org` -> `adal@x.org`."""
    local, _, host = mail.rpartition("@")
    without_tag = local.partition("+")[0]
    without_dots = without_tag.replace(".", "")
    return f"{without_dots}@{host}"


IBAN_PATTERN: Final = (
    r"(?i)\b[A-Z]{2}\d{2}(?:[ \x{a0}-]?[A-Z\d]{4}){2,7}(?:[ \x{a0}-]?[A-Z\d]{1,3})?\b"
)
"""The country, two digits of checksum, and the account: `DE89 3704 0044 0532 0130 00`."""


def read_iban(span: Span) -> list[WrittenValue]:
    """Return an international account number if its checksum is right."""
    account = _letters_and_digits(span.written).upper()
    if not _has_iban_checksum(account):
        return []
    return [span.value(Kind.IBAN, account)]


def _has_iban_checksum(account: str) -> bool:
    """Check an account number by ISO 13616.

    The country and the checksum are moved to the end, and each letter becomes a number (A is 10, Z
    is 35). The resulting number must leave the remainder 1 when divided by 97.
    """
    rearranged = account[4:] + account[:4]
    digits = ""
    for character in rearranged:
        digits += str(int(character, base=36))
    return int(digits) % 97 == 1


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


TELEPHONE_PATTERN: Final = (
    r"(?:\+|\(?0)\d{0,5}\)?(?:[ \x{a0}/.-]{0,3}\(?\d+\)?){1,8}"
    r"|\(\d{3}\) ?\d{3}[ -]\d{4}|\b\d{3}-\d{3}-\d{4}\b"
)
"""`+49 (0) 30 1234567`, `(030) 123 45 67`, `030/1234567`, or the American `555-123-4567`. Several
numbers in a row are one match."""
LEAST_TELEPHONE_DIGITS: Final = 7
"""A number with fewer digits is taken for something else, such as an amount."""
MOST_TELEPHONE_DIGITS: Final = 15
"""The longest number by the recommendation E.164."""


def read_telephone(span: Span) -> list[WrittenValue]:
    """Return the telephone numbers of a match, which may contain several in a row.

    `030 1234567 +49 171 2345678` -> both numbers. A match next to a letter, digit or mark is a part
    of something else, such as an id, and gives no value.
    """
    before = span.before(1)
    is_part_of_more = is_word_character(before) or (before != "" and before in ".,-/#_")
    if is_part_of_more or is_word_character(span.behind(1)):
        return []
    text = span.match.string
    values: list[WrittenValue] = []
    start = span.start
    while start < span.end:
        written = _first_telephone(text[start : span.end])
        canonical = _canonical_telephone(written)
        if not canonical:
            break
        end = start + len(written)
        values.append(WrittenValue(Kind.TELEPHONE, written, start, end, canonical))
        start = end
        while start < span.end and text[start] == " ":
            start += 1
    return values


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number, or "" if it cannot be one.

    `+49 (0) 30 1234567` and `0049 30 1234567` -> `+49301234567`; `030 1234567` -> `0301234567`.
    """
    if not _begins_like_telephone(written):
        return ""
    without_trunk_zero = written.replace("(0)", "")  # which is dialled only within the country
    digits = _digits_of(without_trunk_zero)
    if not LEAST_TELEPHONE_DIGITS <= len(digits) <= MOST_TELEPHONE_DIGITS:
        return ""
    has_international_prefix = digits.startswith("00") and digits[2] != "0"  # `0049`
    if without_trunk_zero.startswith("+") or has_international_prefix:
        return "+" + digits.removeprefix("00")
    return digits


def _begins_like_telephone(written: str) -> bool:
    """Return True if digits begin like a telephone number rather than an amount.

    True for `+49 30 1234567`, `030 1234567`, `(030) 1234567` and the American `555-123-4567`, the
    only form that may begin with another digit. False for `0.1234567`.
    """
    is_decimal = written.startswith("0.")
    if is_decimal:
        return False
    is_american = "-" in written
    return is_american or written[:1] in ("+", "0", "(")


def _first_telephone(written: str) -> str:
    """Return the first of several telephone numbers.

    The next one begins with a plus sign or a parenthesis. Without these, groups are dropped from
    the end until no more than `MOST_TELEPHONE_DIGITS` digits are left.
    """
    end = len(written)
    for sign in (" +", " ("):
        # A sign further in front belongs to the first number: `+49 (30) 1234567`.
        next_number = written.find(sign, LEAST_TELEPHONE_DIGITS)
        if next_number > 0:
            end = min(end, next_number)
    while len(_digits_of(written[:end])) > MOST_TELEPHONE_DIGITS and " " in written[:end]:
        end = written.rindex(" ", 0, end)
    return written[:end].rstrip(" /.-")


def _digits_of(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
