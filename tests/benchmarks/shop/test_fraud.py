"""Fraudulent rows of tables of payments."""

from datetime import datetime, timedelta

import pytest

from benchmarks.shop.table_functions import read_payments, series, uncertain_series
from sandbox.functions import CannotRead
from tests.benchmarks.ecom.reference_solutions import generate_variant

HEADER = "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
IN_CITIES = ("Graz", "Linz", "Wien", "Graz")


def table(*, pause_min: int = 20, channel: str = "web", buyer: str = "c-1") -> str:
    rows = [
        f"R{at};{datetime(2027, 1, 1) + at * timedelta(minutes=pause_min)};{buyer};{city};900;d{at};{channel}\n"
        for at, city in enumerate(IN_CITIES)
    ]
    return HEADER + "".join(rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no single column for customer"),
        (HEADER, "no single column for customer"),
        (table().replace("900", "nine"), "no amount in cents"),
        (table().replace("2027-01-01", "today"), "instants"),
        (table().replace("city", "place"), "no single column for city"),
    ],
)
def test_a_table_of_another_shape_is_refused(text, said):
    with pytest.raises(CannotRead, match=said):
        read_payments(text)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("family", "is_certain"), [("archive-fraud", True), ("entangled-fraud", False)])
def test_the_series_of_an_export_are_its_fraud_unless_a_note_says_what_is_uncertain(family, is_certain, seed):
    task = generate_variant(f"{family}#1", f"series {seed}")
    rows = read_payments(task.world.files[task.truth.inputs["path"]])
    assert ({row.id for _, run in series(tuple(rows)) for row in run} == task.truth.measure.fraud) is is_certain
    assert (uncertain_series(rows) == []) is is_certain
