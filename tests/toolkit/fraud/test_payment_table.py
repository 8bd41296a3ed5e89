from datetime import datetime, timedelta

import pytest

from toolkit import CannotRead
from toolkit.fraud import fraud_with_series, read_payments

HEADER = "row_id;paid_at;buyer;city;amount_cents;device;channel\n"
CITIES = ("Graz", "Linz", "Wien", "Graz")


def table(*, pause_min: int = 20, channel: str = "web", buyer: str = "c-1") -> str:
    rows = [
        f"R{at};{datetime(2027, 1, 1) + at * timedelta(minutes=pause_min)};{buyer};{city};900;d{at};{channel}\n"
        for at, city in enumerate(CITIES)
    ]
    return HEADER + "".join(rows)


@pytest.mark.parametrize(
    ("given", "count"),
    [({}, 4), ({"pause_min": 40}, 0), ({"channel": "service_desk"}, 0)],
)
def test_a_series_over_cities_is_found_whole(given, count):
    found = fraud_with_series(read_payments(table(**given)))
    assert len(found.rows) == count
    assert found.rules == (("series/customer",) if count else ())


def test_columns_are_told_by_their_headers_and_values():
    first = read_payments(table())[0]
    assert (first.id, first.customer, first.city, first.cents, first.device, first.card) == (
        "R0",
        "c-1",
        "Graz",
        900,
        "d0",
        "",
    )


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
