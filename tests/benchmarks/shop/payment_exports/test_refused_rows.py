"""An export of payments with a value in another form is refused, so that no other table is taken for one.

The export is a table with a row for each payment. With the word "nine" as amount, for example, it is
refused: "no amount in cents".
"""

import pytest

from controlplane.benchmarks.shop.table_functions import read_payments
from controlplane.sandbox.functions import CannotRead


@pytest.mark.parametrize(
    ("paid_at", "amount_cents", "refusal"),
    [
        pytest.param(
            "2027-01-01 00:00:00", "nine", "no amount in cents", id="a word as amount"
        ),
        # The column of the times is found by its values.
        pytest.param(
            "today",
            "900",
            "the table has no column of ids, or none of instants",
            id="a word as time",
        ),
        pytest.param(
            "2027-02-30 00:00:00",
            "900",
            "no valid time",
            id="a day that does not exist",
        ),
    ],
)
def test_a_row_with_another_form_of_a_value_is_refused(
    paid_at: str, amount_cents: str, refusal: str
) -> None:
    export = (
        "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
        f"R0;{paid_at};c-1;Graz;{amount_cents};d0;web\n"
        f"R1;{paid_at};c-1;Linz;{amount_cents};d1;web\n"
    )

    with pytest.raises(CannotRead, match=refusal):
        read_payments(export)
