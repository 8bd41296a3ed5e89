"""Dates, times, ids and addresses in a text have one canonical form each.

`12. März 2026` and `20260312` are the same date, `2026-03-12`, so the answer of an agent may use
either.
"""

from __future__ import annotations

import pytest

from controlplane.gates.values.addresses import mailbox_of
from controlplane.gates.values.spans import Kind
from tests.gates.values.written_values.single_values import only_value


@pytest.mark.parametrize(
    ("text", "kind", "canonical"),
    [
        # Dates and months
        ("12 March 2026", Kind.DATE, "2026-03-12"),
        ("12. März 2026", Kind.DATE, "2026-03-12"),
        ("March 12th, 2026", Kind.DATE, "2026-03-12"),
        ("20260312", Kind.DATE, "2026-03-12"),
        # Hyphens that do not break
        ("2026\u201103\u201112", Kind.DATE, "2026-03-12"),
        ("令和8年3月12日", Kind.DATE, "2026-03-12"),
        ("11.11.", Kind.DATE, "--11-11"),  # a day without a year
        ("4 May", Kind.DATE, "--05-04"),
        ("March 2026", Kind.MONTH, "2026-03"),
        ("2026-03", Kind.MONTH, "2026-03"),
        # Times of day
        ("5:10 pm", Kind.TIME, "17:10"),
        ("kl. 11.30", Kind.TIME, "11:30"),
        ("godz. 9.00", Kind.TIME, "09:00"),
        ("17h10", Kind.TIME, "17:10"),
        ("午後2時30分", Kind.TIME, "14:30"),
        # Ids and versions
        ("INV-2026_17", Kind.ID, "inv-2026-17"),
        ("INV-9999の", Kind.ID, "inv-9999"),
        ("FB-1934-02", Kind.ID, "fb-1934-02"),
        ("3.1.0", Kind.ID, "3.1.0"),
        # Addresses, accounts and telephone numbers
        ("https://Bücher.example:443/a/", Kind.URL, "xn--bcher-kva.example/a"),
        ("Ada.Byron+x@Example.ORG", Kind.MAIL, "ada.byron+x@example.org"),
        ("DE89 3704 0044 0532 0130 00", Kind.IBAN, "DE89370400440532013000"),
        ("+49 (0)30 123-4567", Kind.TELEPHONE, "+49301234567"),
        ("0049301234567", Kind.TELEPHONE, "+49301234567"),
        ("030 / 123 4567", Kind.TELEPHONE, "0301234567"),
    ],
)
def test_dates_times_ids_and_addresses_have_one_canonical_form(
    text: str, kind: Kind, canonical: str
) -> None:
    value = only_value(text)

    assert value.kind == kind
    assert value.canonical == canonical


def test_a_mailbox_has_no_dots_and_tags() -> None:
    """Mail to `ada.byron+x` arrives in the same mailbox as mail to `adabyron`."""
    assert mailbox_of("ada.byron+x@example.org") == "adabyron@example.org"
