"""A table is refused as an export of payments if a column of such exports is missing.

An export has a row for each payment. Each column may have one of several headers: that of the
customers is `customer`, `account` or `buyer`, and that of the cities `city` or `town`.
"""

import pytest

from controlplane.benchmarks.shop.table_functions import read_payments
from controlplane.sandbox.functions import CannotRead


def test_a_table_whose_cities_have_an_unknown_header_is_refused() -> None:
    """The header `place` is none of those for cities."""
    table = (
        "row_id;paid_at;buyer;place;amount_cents;device;channel\n"
        "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
        "R1;2027-01-01 00:20:00;c-1;Linz;900;d1;web\n"
    )

    with pytest.raises(CannotRead, match="no single column for city"):
        read_payments(table)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param("", id="empty"),
        pytest.param(
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n",
            id="only headers",
        ),
    ],
)
def test_a_table_without_rows_is_refused_for_its_first_column(table: str) -> None:
    """Headers are looked for in rows. Without a row no column is found, and the first one that is
    looked for is that of the customers."""
    with pytest.raises(CannotRead, match="no single column for customer"):
        read_payments(table)
