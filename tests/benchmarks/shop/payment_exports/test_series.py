"""Fraud in an export of payments is found: a series of payments that nobody can have made honestly.

The export is a table with a row for each payment. If one buyer pays in Graz, and 20 minutes later
in Linz, these payments are a series.
"""

import pytest

from controlplane.benchmarks.shop.table_functions import (
    find_series,
    read_payments,
    uncertain_series,
)
from tests.benchmarks.ecom.variants import generate_variant


def test_payments_of_one_buyer_in_several_cities_are_a_series() -> None:
    """20 minutes are not enough to get from one city to the next. The buyer c-2 is innocent."""
    rows = read_payments(
        "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
        "R0;2027-01-01 00:00:00;c-1;Graz;900;d0;web\n"
        "R1;2027-01-01 00:20:00;c-1;Linz;900;d1;web\n"
        "R2;2027-01-01 00:40:00;c-1;Wien;900;d2;web\n"
        "R3;2027-01-01 01:00:00;c-1;Graz;900;d3;web\n"
        "R4;2027-01-01 00:20:00;c-2;Graz;400;d4;web\n"
    )

    (series,) = find_series(tuple(rows))

    assert [row.id for row in series.rows] == ["R0", "R1", "R2", "R3"]
    assert uncertain_series(rows) == []


@pytest.mark.parametrize("seed", range(4))
def test_the_series_of_a_generated_export_are_its_fraud(seed: int) -> None:
    """The generator of such a task knows which rows of its export are fraudulent."""
    task = generate_variant("archive-fraud", f"series {seed}")
    true_fraud_ids = task.truth.measure.fraud
    export_path = task.truth.for_tests["path"]
    rows = read_payments(task.world.files[export_path])

    ids_in_series = set()
    for series in find_series(tuple(rows)):
        for row in series.rows:
            ids_in_series.add(row.id)

    assert ids_in_series == true_fraud_ids
    assert uncertain_series(rows) == []
