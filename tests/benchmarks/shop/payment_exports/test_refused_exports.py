"""An export of payments in another form is refused, so that no other table is taken for one.

The export is a table with a row for each payment. Without a column for the city, for example, it is
refused: "no single column for city".
"""

import pytest

from controlplane.benchmarks.shop.payments.payment_rows import read_payments
from controlplane.sandbox.functions import CannotRead


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        pytest.param("", "no single column for customer", id="empty"),
        pytest.param(
            "row_id;paid_at;buyer;city;amount_cents;device;channel\n",
            "no single column for customer",
            id="no rows",
        ),
        pytest.param(
            "row_id;paid_at;buyer;place;amount_cents;device;channel\n"
            "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
            "R1;2027-01-01 00:20:00;c-1;Linz;900;d1;web\n",
            "no single column for city",
            id="a column with another name",
        ),
    ],
)
def test_a_table_without_the_columns_of_an_export_is_refused(
    text: str, refusal: str
) -> None:
    with pytest.raises(CannotRead, match=refusal):
        read_payments(text)
