"""How quotations, web and mail addresses, account and telephone numbers are written."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue, is_word_character

MOST_QUOTED_CHARS: Final = 300
"""A longer text between quotation signs is not a quotation, but what stands between two of them."""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
QUOTATION_PATTERN: Final = "|".join(
    f"{opening}[^\n{closing}]+[{closing}]" for opening, closing in _QUOTATION_SIGNS
)


def read_quotation(span: Span) -> list[WrittenValue]:
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if not 1 < len(stripped) < MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = "code" if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(Kind.QUOTATION, stripped, start, end, stripped, unit)]


URL_PATTERN: Final = (
    r"(?i)\b(?:(?P<scheme>[a-z][a-z0-9+.-]{1,20})://|www\.)"
    r"[^\s<>()\[\]\"'`{}|\\^]*[^\s<>()\[\]\"'`{}|\\^.,;:!?]"
)
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


def read_url(span: Span) -> list[WrittenValue]:
    return [span.value(Kind.URL, canonical_url(span.written))]


def canonical_url(url: str) -> str:
    """Return a URL without scheme, default port and closing slash, its host in lower case and
    punycode."""
    scheme, separator, address = url.partition("://")
    if not separator:
        scheme = "http"
        address = url
    ends = [end for end in map(address.find, "/?#") if end >= 0]
    host_end = min(ends, default=len(address))
    host = address[:host_end].casefold()
    host = host.removesuffix(_DEFAULT_PORTS.get(scheme.casefold(), ":"))
    return punycode(host) + address[host_end:].rstrip("/")


def punycode(host: str) -> str:
    """Return a host's name in ASCII; a name that has no such form stays as it is."""
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


def read_mail(span: Span) -> list[WrittenValue]:
    local, _, host = span.written.casefold().rpartition("@")
    return [span.value(Kind.MAIL, f"{local}@{punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox of a canonical address, as most providers deliver it: without dots and
    `+tag`."""
    local, _, host = mail.rpartition("@")
    return local.partition("+")[0].replace(".", "") + "@" + host


IBAN_PATTERN: Final = (
    r"(?i)\b[A-Z]{2}\d{2}(?:[ \x{a0}-]?[A-Z\d]{4}){2,7}(?:[ \x{a0}-]?[A-Z\d]{1,3})?\b"
)


def read_iban(span: Span) -> list[WrittenValue]:
    account = _letters_and_digits(span.written).upper()
    # The checksum of ISO 13616: letters count from 10 on, and the first four characters go last.
    digits = "".join(str(int(character, 36)) for character in account[4:] + account[:4])
    if int(digits) % 97 != 1:
        return []
    return [span.value(Kind.IBAN, account)]


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


TELEPHONE_PATTERN: Final = (
    r"(?:\+|\(?0)\d{0,5}\)?(?:[ \x{a0}/.-]{0,3}\(?\d+\)?){1,8}"
    r"|\(\d{3}\) ?\d{3}[ -]\d{4}|\b\d{3}-\d{3}-\d{4}\b"
)
LEAST_TELEPHONE_DIGITS: Final = 7
MOST_TELEPHONE_DIGITS: Final = 15
"""By the recommendation E.164."""


def read_telephone(span: Span) -> list[WrittenValue]:
    """Return numbers that begin with a plus sign, a zero or an area code, and have enough
    digits."""
    before = span.before(1)
    if is_word_character(before) or (before and before in ".,-/#_"):
        return []
    if is_word_character(span.behind(1)):
        return []
    values: list[WrittenValue] = []
    start = span.start
    while start < span.end:
        written = _first_telephone(span.match.string[start : span.end])
        end = start + len(written)
        canonical = _canonical_telephone(written)
        if not canonical:
            break
        values.append(WrittenValue(Kind.TELEPHONE, written, start, end, canonical))
        behind = span.match.string[end : span.end]
        start = end + len(behind) - len(behind.lstrip(" "))
    return values


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number; empty if it has too few or too many to be one."""
    bare = written.replace("(0)", "")
    digits = _digits_of(bare)
    is_decimal = written.startswith("0.")
    begins_like_one = written[:1] in ("+", "0", "(")
    if is_decimal or (not begins_like_one and "-" not in written):
        return ""
    if not LEAST_TELEPHONE_DIGITS <= len(digits) <= MOST_TELEPHONE_DIGITS:
        return ""
    if bare.startswith("+") or (digits.startswith("00") and digits[2] != "0"):
        return "+" + digits.removeprefix("00")
    return digits


def _first_telephone(written: str) -> str:
    """Return the groups of digits up to the last one that still belongs to the number."""
    end = len(written)
    for sign in (" +", " ("):
        next_number = written.find(sign, LEAST_TELEPHONE_DIGITS)
        if next_number > 0:
            end = min(end, next_number)
    while len(_digits_of(written[:end])) > MOST_TELEPHONE_DIGITS and " " in written[:end]:
        end = written.rindex(" ", 0, end)
    return written[:end].rstrip(" /.-")


def _digits_of(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
