"""Reads international account numbers (IBAN): `DE89 3704 0044 0532 0130 00`."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

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
    """Return the letters and digits of a text: `GB33 BUKB` -> `GB33BUKB`."""
    return "".join(character for character in text if character.isalnum())


# `is_alone`: a match counts only if no letter or digit touches it.

IBANS: Final = Form(Kind.IBAN, _IBAN, read_iban, is_alone=True)
