"""Payments of an export that may be fraud or not are noted, and left to the model.

The export is a table with a row for each payment. A payment of less than 0 is a refund, of which
it is noted: "R9 takes money back".
"""

from controlplane.benchmarks.shop.table_functions import read_payments, uncertain_series


def test_a_refund_is_noted_as_uncertain() -> None:
    rows = read_payments(
        "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
        "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
        "R9;2027-01-02 09:00:00;c-2;Graz;-900;d9;web\n"
    )

    (note,) = uncertain_series(rows)

    assert note.startswith("R9 takes money back")


def test_a_long_pause_within_a_series_is_noted_as_uncertain() -> None:
    """In 40 minutes, an honest buyer might have travelled from one city to the next."""
    rows = read_payments(
        "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
        "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
        "R1;2027-01-01 00:40:00;c-1;Linz;900;d1;web\n"
        "R2;2027-01-01 01:20:00;c-1;Wien;900;d2;web\n"
        "R3;2027-01-01 02:00:00;c-1;Graz;900;d3;web\n"
    )

    first_note, *_ = uncertain_series(rows)

    assert "more than 30 minutes between R0 and R1" in first_note
