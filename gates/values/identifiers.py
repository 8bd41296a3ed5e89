"""Values that name or lead to something: quotations, addresses, accounts, telephones, ids, versions."""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.notations import locale_names
from controlplane.gates.values.numerals import canonical_amount, measure_behind, unit_of
from controlplane.gates.values.spans import (
    Form,
    Span,
    ValueKind,
    WrittenValue,
    is_word_character,
)

# Reads text between quotation marks: `"to be paid"`, `„to be paid“`, `` `paid == True` ``.

_MOST_QUOTED_CHARS: Final = 300
"""A text of this length between quotation marks is not a quotation.

Its marks probably belong to two quotations: the first one ends, and the second one begins.
"""
_QUOTATION_SIGNS: Final = (
    ('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»"), ("»", "«"), ("「", "」"), ("『", "』"), ("`", "`"),
)  # fmt: skip
"""Each opening quotation mark, with the marks that may close it: `„` with `“` or `”`."""
UNIT_OF_CODE: Final = "code"
"""The `unit` of a quotation in back quotes. A quotation of prose has none."""


_QUOTATION: Final = "|".join(
    f"{opening}[^\n{closing}]+[{closing}]" for opening, closing in _QUOTATION_SIGNS
)
"""`"to be paid"`, `„to be paid“`, `` `paid == True` ``"""


def _read_quotation(span: Span) -> list[WrittenValue]:
    """Return the text between quotation marks: `"to be paid"` -> `to be paid`.

    Text between back quotes gets the unit `code`, because code must match exactly. A
    single character is not a quotation.
    """
    quoted = span.written[1:-1]
    stripped = quoted.strip()
    if len(stripped) < 2 or len(stripped) >= _MOST_QUOTED_CHARS:
        return []
    start = span.start + 1 + quoted.index(stripped)
    unit = UNIT_OF_CODE if span.written[0] == "`" else ""
    end = start + len(stripped)
    return [WrittenValue(ValueKind.QUOTATION, stripped, start, end, stripped, unit)]


QUOTATIONS: Final = Form(ValueKind.QUOTATION, _QUOTATION, _read_quotation)


# Reads web and mail addresses: `https://Example.org/a/`, `Ada@example.org`.

_NOT_IN_URL: Final = r"\s<>()\[\]\"'`{}|\\^"
_ENDS_SENTENCE: Final = ".,;:!?*"
_START_OF_URL: Final = r"(?i)\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)"
"""`https://`, `www.`"""
_REST_OF_URL: Final = rf"[^{_NOT_IN_URL}]*[^{_NOT_IN_URL}{_ENDS_SENTENCE}]"
"""`example.org/a?b=1`; a comma or point behind it belongs to the sentence, and `**` is Markdown."""
_URL: Final = _START_OF_URL + _REST_OF_URL
"""`https://example.org/a?b=1`, `www.example.org`"""
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}
_END_OF_HOST: Final = re2.compile(r"[/?#]")
"""What stands behind the host: the `/` of `example.org:443/docs?a=1`."""


def _read_url(span: Span) -> list[WrittenValue]:
    """Read a web address: `HTTPS://Example.org:443/Docs/` -> `example.org/Docs`.

    Removes the scheme, the default port and a closing slash, and puts the host in lower
    case and ASCII. Keeps the case of the path, where `Docs` and `docs` may differ.
    """
    scheme, separator, address = span.written.partition("://")
    if not separator:  # `www.example.org`
        scheme = "http"
        address = span.written
    host = str(_END_OF_HOST.split(address, 1)[0])
    rest = address[len(host) :].rstrip("/")
    default_port = _DEFAULT_PORTS.get(scheme.casefold(), "")
    canonical_host = _punycode(host.casefold().removesuffix(default_port))
    return [span.value(ValueKind.URL, canonical_host + rest)]


def _punycode(host: str) -> str:
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


def _read_mail(span: Span) -> list[WrittenValue]:
    """Read a mail address: `Ada@Müller.de` -> `ada@xn--mller-kva.de`."""
    local, _, host = span.written.casefold().rpartition("@")
    return [span.value(ValueKind.MAIL, f"{local}@{_punycode(host)}")]


def mailbox_of(mail: str) -> str:
    """Return the mailbox to which most providers deliver: `ada.l+tax@x.org` -> `adal@x.org`."""
    local, _, host = mail.rpartition("@")
    without_tag = local.partition("+")[0]
    without_dots = without_tag.replace(".", "")
    return f"{without_dots}@{host}"


URLS: Final = Form(ValueKind.URL, _URL, _read_url)
MAILS: Final = Form(ValueKind.MAIL, _MAIL, _read_mail)


# Reads international account numbers (IBAN): `DE89 3704 0044 0532 0130 00`.

_IBAN_BLANK: Final = r"[ \x{a0}-]?"
_IBAN_COUNTRY_AND_CHECKSUM: Final = r"[A-Z]{2}\d{2}"
"""`DE89`"""
_IBAN_GROUPS: Final = (
    rf"(?:{_IBAN_BLANK}[A-Z\d]{{4}}){{2,7}}(?:{_IBAN_BLANK}[A-Z\d]{{1,3}})?"
)
"""Groups of four letters and digits, and a shorter last one: ` 3704 0044 0532 0130 00`."""
_IBAN: Final = rf"(?i)\b{_IBAN_COUNTRY_AND_CHECKSUM}{_IBAN_GROUPS}\b"
"""`DE89 3704 0044 0532 0130 00`. The standard allows 15 to 34 characters."""


def _read_iban(span: Span) -> list[WrittenValue]:
    """Return an international account number if its checksum is right, by ISO 13616.

    The country and the checksum are moved to the end, and each letter becomes a number (A is 10,
    Z is 35). The resulting number must leave the remainder 1 when divided by 97.
    """
    account = "".join(filter(str.isalnum, span.written)).upper()
    rearranged = account[4:] + account[:4]
    digits = "".join(str(int(character, base=36)) for character in rearranged)
    if int(digits) % 97 != 1:
        return []
    return [span.value(ValueKind.IBAN, account)]


# `is_alone`: a match counts only if no letter or digit touches it.

IBANS: Final = Form(ValueKind.IBAN, _IBAN, _read_iban, is_alone=True)


# Reads telephone numbers: `+49 (0) 30 1234567`, `030/1234567`, `555-123-4567`.
#
# A pattern finds digits with blanks and marks that may be telephone numbers. `_read_telephone`
# divides them if they are several numbers in a row, and drops what is something else.

_TELEPHONE_START: Final = r"(?:\+|\(?0)\d{0,5}\)?"
"""The code of the country or the area: `+49`, `(030)`, `0171`."""
_TELEPHONE_GROUP: Final = r"(?:[ \x{a0}/.-]{0,3}\(?\d+\)?)"
"""Further digits: ` 123`, `/1234567`, ` (0)`. `\\x{a0}` is a hard blank."""
_TELEPHONE_FORMS: Final = (
    _TELEPHONE_START
    + _TELEPHONE_GROUP
    + "{1,8}",  # `+49 (0) 30 1234567`, `030/1234567`
    r"\(\d{3}\) ?\d{3}[ -]\d{4}",  # the American `(555) 123-4567`
    r"\b\d{3}-\d{3}-\d{4}\b",  # the American `555-123-4567`
)
_TELEPHONE: Final = "|".join(_TELEPHONE_FORMS)
"""Several telephone numbers in a row are one match: `030 1234567 +49 171 2345678`."""
_LEAST_TELEPHONE_DIGITS: Final = 7
"""A number with fewer digits is taken for something else, such as an amount."""
_MOST_TELEPHONE_DIGITS: Final = 15
"""The longest number by the recommendation E.164."""


def _read_telephone(span: Span) -> list[WrittenValue]:
    """Return the telephone numbers of a match, which may contain several in a row.

    `030 1234567 +49 171 2345678` -> both numbers. A match that touches a letter or digit, or
    that follows a mark, is a part of something else, such as an id. A mark behind it may just
    end the sentence.
    """
    before = span.before(1)
    follows_mark = before != "" and before in ".,-/#_"
    if follows_mark or is_word_character(before) or is_word_character(span.behind(1)):
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
        values.append(WrittenValue(ValueKind.TELEPHONE, written, start, end, canonical))
        remaining = remaining[len(written) :].lstrip(" ")
    return values


def _first_telephone(written: str) -> str:
    """Return the first of several telephone numbers in a row.

    `030 1234567 +49 171 2345678` -> `030 1234567`
    """
    # 1. A `+` or `(` begins the next number, but not in `+49 (30) 1234567`: there are fewer
    #    characters before this `(` than a telephone number has digits.
    first = written
    for sign_of_next in (" +", " ("):
        position = first.find(sign_of_next, _LEAST_TELEPHONE_DIGITS)
        if position >= 0:
            first = first[:position]

    # 2. Without such a sign, too many digits show a second number: `030 1234567 0171 2345678`.
    #    The last groups are dropped until the digits can be one number.
    while len(_digits_of(first)) > _MOST_TELEPHONE_DIGITS and " " in first:
        first = first.rpartition(" ")[0]
    return first.rstrip(" /.-")


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number, or "" if it cannot be one.

    `+49 (0) 30 1234567`, `0049 30 1234567` -> `+49301234567`; `030 1234567` -> `0301234567`
    """
    # `+49 30 1234567`, `030 1234567` and `(030) 1234567` show by their beginning that they are no
    # amounts, and `555-123-4567` by its hyphens. `0.1234567` is an amount.
    may_be_telephone = "-" in written or written[:1] in ("+", "0", "(")
    if not may_be_telephone or written.startswith("0."):
        return ""
    # The zero of `+49 (0) 30` is dialled only within the country.
    without_trunk_zero = written.replace("(0)", "")
    digits = _digits_of(without_trunk_zero)
    if not _LEAST_TELEPHONE_DIGITS <= len(digits) <= _MOST_TELEPHONE_DIGITS:
        return ""
    # `0049`, not `0003`: the code of a country never begins with 0.
    has_international_prefix = digits.startswith("00") and digits[2] != "0"
    if without_trunk_zero.startswith("+") or has_international_prefix:
        return "+" + digits.removeprefix("00")
    return digits


def _digits_of(text: str) -> str:
    """Return the digits of a text: `(030) 12` -> `03012`."""
    return "".join(filter(str.isdigit, text))


TELEPHONES: Final = Form(ValueKind.TELEPHONE, _TELEPHONE, _read_telephone)


# Finds accounts, cards and telephones that are written in groups, such as `US13 3000 0001`.

_SEPARATOR: Final = r"[-. /]{1,2}"
_DIGIT_AND_MORE: Final = r"\pN[\pL\pN]*"
"""A digit, and perhaps further digits and letters: `3000`, `4a`."""
_FIRST_GROUP: Final = rf"(?:\pL{{2}})?{_DIGIT_AND_MORE}"
"""`030`, or with the two letters of a country: `us13`."""
_FURTHER_GROUP: Final = rf"\(?\pL{{0,4}}{_DIGIT_AND_MORE}\)?"
"""`3000`, or after at most four letters, `bank5`, or in brackets, `(030)`."""
_FURTHER_GROUPS: Final = rf"(?:{_SEPARATOR}{_FURTHER_GROUP})+"

_DIGITS_IN_GROUPS: Final = re2.compile(_FIRST_GROUP + _FURTHER_GROUPS)
"""`us13 3000 0001`. A group without a digit, such as `bukb` in `gb33 bukb 2020 1555`, ends it."""
_WITH_BANK: Final = re2.compile(
    rf"(?:^|[^\pL\pN])(\pL{{2}}\pN{{2}}{_SEPARATOR}\pL{{4}}{_FURTHER_GROUPS})"
)
"""A country and two digits (`gb33`), the four letters of a bank (`bukb`), then further groups."""
_MIN_CHARS_WITH_BANK: Final = 18
"""How many letters and digits an account with a bank's letters has. The shortest are Dutch:
`NL91 ABNA 0417 1643 00`. In a shorter one, the four letters are a word: `FY26 plan 3`."""
_MIN_ACCOUNT_CHARS: Final = 8
_MAX_ACCOUNT_CHARS: Final = 40
"""How many letters and digits an account has; the longest IBAN has 34."""


def account_key(text: str) -> str:
    """Return the letters and digits of an account, or an empty string if they are too few or many.

    All spellings share them: `0049 30 123-4567` and `+49 (30) 1234567` -> `49301234567`.
    """
    joined = "".join(filter(str.isalnum, text.casefold()))
    key = joined.removeprefix("00")  # the `+` of a telephone
    return key if _MIN_ACCOUNT_CHARS <= len(key) <= _MAX_ACCOUNT_CHARS else ""


def accounts_in_groups(text: str) -> list[tuple[int, int]]:
    """Return where a text has an account in groups.

    `gb33 bukb 2020 1555 5555 55` has two: the whole text, if `bukb` is a bank, and
    `2020 1555 5555 55`, if `bukb` is only a word before the account.
    """
    places = [match.span() for match in _DIGITS_IN_GROUPS.finditer(text)]
    for match in _WITH_BANK.finditer(text):
        if len(account_key(match[1])) >= _MIN_CHARS_WITH_BANK:
            places.append(match.span(1))
    return [(start, end) for start, end in places if account_key(text[start:end])]


# Tells amounts and ordinals from ids: `90min` and `13th` from `KR204` and `204-XY`.
#
# All of these are tokens: letters and digits without a blank.

_ENDINGS_OF_NUMBERS: Final = frozenset(
    {"st", "nd", "rd", "th", "er", "ère", "ème", "e", "o", "a", "x", "s", "fach"}
)
"""Endings of ordinals, decades and multiples: `13th`, `2ème`, `1990s`, `2x`, `3fach`."""
_MEASURE: Final = re2.compile(r"\d[\d.,']*(-?)(\pL+[23²³]?(?:/\pL+)?)")
"""A number, an optional hyphen and a word: `90min`, `10-day`, `30m²`, `80km/h`."""


def _is_measure(token: str) -> bool:
    """Return True for an amount, an ordinal or a multiple: `90min`, `10-day`, `13th`, `2x`."""
    match = _MEASURE.fullmatch(token)
    if match is None:
        return False
    hyphen = match[1]
    word = match[2]
    folded_word = word.casefold()
    if unit_of(word):  # `90min`
        return True
    if folded_word in _ENDINGS_OF_NUMBERS:  # `13th`
        return True
    if folded_word in locale_names().scales:  # `5mio`
        return True

    # `10-day` and `4-person` are amounts. `204-XY` is an id: two letters are a code.
    is_longer_than_code = len(word) > 2
    return hyphen != "" and is_longer_than_code and word.isalpha()


# Tells ids of digits (`2024-0017`, `2.14.3`) from numbers and ranges (`1.250.000`, `3-5`).
#
# The marks between the digits show most of it:
#
#     12.5           one point: a number
#     3-5            one hyphen: a range, if the numbers rise
#     1.5-2.5        a hyphen between two decimal marks: a range, if the numbers rise
#     1.250.000      several points: a number, if all groups have three digits
#     10/2024-17     anything else: an id


def _is_id_of_digits(token: str) -> bool:
    """Return True if digits with punctuation are an id, a version or an address.

    True for `2.14.3`, `10.0.0.7` and `2024-0017`;
    false for `12.5`, `1.250.000` and `3-5`.
    """
    # The token without its digits: `.` for `12.5`, `.-.` for `1.5-2.5`, `..` for `2.14.3`.
    marks = "".join(character for character in token if not character.isdigit())
    if marks in ("", "."):  # `12`, `12.5`
        return False
    may_be_range = marks == "-"  # `3-5`
    may_be_range_of_decimals = len(marks) == 3 and "-" in marks  # `1.5-2.5`
    if may_be_range or may_be_range_of_decimals:
        return not _is_range(token)
    if set(marks) == {"."}:  # `1.250.000`, `2.14.3`
        first_group, *further_groups = token.split(".")
        has_groups_of_three = all(len(group) == 3 for group in further_groups)
        return len(first_group) > 3 or not has_groups_of_three
    return True


_RANGE_OF_NUMBERS: Final = re2.compile(r"(\d{1,9}(?:[.,]\d+)?)-(\d{1,9}(?:[.,]\d+)?)")
"""Two numbers with a hyphen: `3-5`, `1.5-2.5`."""


def _is_range(token: str) -> bool:
    """Return True if two numbers with a hyphen are a range rather than an id.

    In a range the first number is smaller, and neither has leading zeros: true for
    `3-5`, false for `5-3` and `2024-0017`.
    """
    match = _RANGE_OF_NUMBERS.fullmatch(token)
    if match is None:
        return False
    for number in match.groups():
        has_leading_zero = len(number) > 1 and number.isdigit() and number[0] == "0"
        if has_leading_zero:
            return False
    first = float(match[1].replace(",", "."))
    last = float(match[2].replace(",", "."))
    return first < last


# Finds ids and versions in a text: `KR-204`, `v2.1`, `10.0.0.7`, `kegs_30l`.
#
# An id is a token with at least one digit: letters and digits without a blank. Amounts
# with a unit (`90min`), ordinals (`13th`), ranges (`3-5`) and grouped numbers
# (`1.250.000`) look like ids, and are excluded here.


def _read_id(span: Span) -> list[WrittenValue]:
    """Return the id that a match is, and the amounts inside the id.

    - `KR-204` -> the id
    - `kegs_30l` -> the id, and the amount of 30 liters
    - `90min` -> nothing, because it is an amount
    """
    token = span.written
    file_name, colon, line_number = token.rpartition(":")
    if colon and line_number.isdigit() and "." in file_name:
        token = file_name  # of `app.py:42`
    if not _is_id(token, behind_match=span.behind(1)):
        return []

    end = span.start + len(token)
    values = [WrittenValue(ValueKind.ID, token, span.start, end, _canonical_id(token))]
    if "_" in token:
        values += _measures_in_key(span, token)
    return values


def _is_id(token: str, behind_match: str) -> bool:
    """Return False for a token that is something else: a unit, an amount or a number."""
    if unit_of(token):  # `m2`
        return False
    has_letters = any(character.isalpha() for character in token)
    if not has_letters:
        return _is_id_of_digits(token)  # `10.0.0.7`, but not the number `1.250,50`
    if _is_measure(token):  # `90min`
        return False
    # `30MM²` is an area, and `30M` alone may be an id. The `²` is behind the match, because the pattern
    # has no raised digits.
    match = _MEASURE.fullmatch(token)
    is_length = match is not None and match[2] in ("m", "km", "cm", "M", "MM")
    return not is_length or behind_match not in ("²", "³")


_NUMBER_IN_KEY: Final = re2.compile(r"\b(\d{1,9})")
"""A number in a key whose underscores were replaced by blanks: `20` in `below 20 kg`."""


def _measures_in_key(span: Span, token: str) -> list[WrittenValue]:
    """Return the amounts with a unit inside a key: `below_20_kg` -> 20 kg; `row_7` -> nothing."""
    text = token.replace("_", " ")  # as long as the token, so offsets stay the same
    values: list[WrittenValue] = []
    for match in _NUMBER_IN_KEY.finditer(text):
        number = str(match[1])
        start = span.start + match.start(1)
        measure = measure_behind(text[match.end(1) :])
        if measure.unit:
            amount = canonical_amount(number)
            end = start + len(number)
            values.append(
                WrittenValue(ValueKind.NUMBER, number, start, end, amount, measure.unit)
            )
    return values


_VERSION_WITH_LETTER: Final = re2.compile(r"v\d+(?:\.\d+)+")


def _canonical_id(token: str) -> str:
    """Return an id in lower case with hyphens for underscores: `KR_204` -> `kr-204`.

    The `v` of a version is left out: `v2.0.10` -> `2.0.10`.
    """
    canonical = token.casefold().replace("_", "-")
    if _VERSION_WITH_LETTER.fullmatch(canonical) is not None:
        return canonical[1:]
    return canonical


# Reads versions of two numbers: the 1.10 of `Version 1.10`, which is not the number 1.1.

_VERSION: Final = (
    r"(?i)\b(?:version|versione|versión|versão|versie|versjon|verze|wersja|verzió|versio|sürüm"
    r"|версия|версии|версія|έκδοση|release|rev\.?|ver\.?|v\.|バージョン|版本|버전) ?(?P<number>\d+(?:\.\d+)+)"
)


def _read_version(span: Span) -> list[WrittenValue]:
    """Return the version behind a word such as `version`, unless it goes on: `1.20-beta`."""
    if span.behind(1)[:1].isalnum() or span.behind(1) in ("-", "_", "/"):
        return []
    start, end = span.place("number")
    number = span.part("number")
    return [WrittenValue(ValueKind.ID, number, start, end, number)]


VERSIONS: Final = Form(ValueKind.ID, _VERSION, _read_version)


# The pattern of ids, from its parts

_LETTER: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}]"
_MARK: Final = r"[-_./:#+&]"
_LETTER_OR_DIGIT: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}\d]"
_PARTS_OF_LETTERS: Final = rf"(?:{_LETTER}+{_MARK})*"
"""`order-KR-`, or nothing"""
_PART_WITH_DIGIT: Final = rf"{_LETTER}*\d{_LETTER_OR_DIGIT}*"
"""`204`, `v2`. An id must have such a part, or the pattern would stop at every word of a text."""
_FURTHER_PARTS: Final = rf"(?:{_MARK}{_LETTER_OR_DIGIT}+)*"
"""`-B`, `.14.3`, or nothing"""
_ID: Final = _PARTS_OF_LETTERS + _PART_WITH_DIGIT + _FURTHER_PARTS
"""`order-KR-204-B`, `v2.14.3`"""

IDS: Final = Form(ValueKind.ID, _ID, _read_id)
