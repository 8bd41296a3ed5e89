from datetime import datetime, timedelta

import pytest

from toolkit.fraud import PaymentRow
from toolkit.fraud.incidents import (
    EXPORT_HOPS,
    counted_hops,
    customer_hops,
    dense_incidents,
    history_hops,
    signal_hops,
)

START = datetime(2026, 3, 1, 8)
CITIES = ["Graz", "Wien", "Linz", "Salzburg", "Villach", "Steyr"]


def burst(count, *, step_s=30, cents=1_000, key="customer", channel="web", places=6):
    """Payments that share one key, each in another city."""
    return tuple(
        PaymentRow(
            str(at),
            START + timedelta(seconds=at * step_s),
            "k" if key == "customer" else f"k{at}",
            CITIES[at % places],
            cents,
            "c" if key == "card" else f"c{at}",
            "d" if key == "device" else f"d{at}",
            channel,
        )
        for at in range(count)
    )


@pytest.mark.parametrize(
    ("rows", "rules"),
    [
        (burst(6), {"burst/customer"}),
        (burst(5), set()),
        (burst(6, places=2), set()),
        (burst(6, step_s=61), set()),
        (burst(6, step_s=60), {"burst/customer"}),
        (burst(6, channel="service_desk"), set()),
        (burst(5, key="card", channel="service_desk"), {"burst/card"}),
        (burst(5, key="device"), {"burst/device"}),
        (burst(5, key="device", channel="store_kiosk"), set()),
        (burst(3, step_s=1_800, cents=50_000), {"value/customer", "value2/customer"}),
        (burst(3, step_s=1_801, cents=50_000), set()),
        (burst(3, step_s=600, cents=49_999), set()),
        (burst(3, step_s=600, cents=50_000, places=2), {"value2/customer"}),
        (burst(3, step_s=600, cents=50_000, places=2, channel="service_desk"), set()),
        (burst(3, step_s=600, cents=50_000, places=2, key="card", channel="service_desk"), {"value2/card"}),
    ],
)
def test_what_is_too_dense_for_one_hand(rows, rules):
    assert {each.rule for each in dense_incidents(rows)} == rules


def test_hops_need_two_cities_minutes_apart_at_channels_of_the_customers_own():
    assert len(customer_hops(burst(2, step_s=600))) == 1
    assert customer_hops(burst(2, step_s=601)) == []
    assert customer_hops(burst(2, places=1)) == []
    assert customer_hops(burst(2, channel="store_terminal")) == []
    assert len(signal_hops(burst(2, key="card"))) == 1
    assert len(history_hops(burst(2, key="card"))) == 0, "two customers"


@pytest.mark.parametrize(("count", "cents", "counts"), [(4, 1, True), (3, 1_000_000, False)])
def test_a_chain_of_four_stands_alone(count, cents, counts):
    found = counted_hops(customer_hops(burst(count, cents=cents)), EXPORT_HOPS.customer_cents, EXPORT_HOPS.batch)
    assert bool(found) is counts


@pytest.mark.parametrize(("cents", "counts"), [(50_000, True), (49_999, False)])
def test_one_card_in_two_cities_stands_alone_from_a_thousand_euros(cents, counts):
    hops = signal_hops(burst(2, key="card", cents=cents))
    assert bool(counted_hops(hops, EXPORT_HOPS.signal_cents, EXPORT_HOPS.batch)) is counts
