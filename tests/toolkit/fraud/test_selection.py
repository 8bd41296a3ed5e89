from datetime import datetime, timedelta

from tests.toolkit.fraud.test_incidents import burst
from toolkit.fraud import Incident, PaymentRow, fraud_in_export, fraud_in_history, fraud_score

LATER = timedelta(days=2)


def moved(rows, by, prefix):
    return tuple(
        PaymentRow(prefix + each.id, each.at + by, prefix + each.customer, each.city, each.cents, prefix + each.card)
        for each in rows
    )


def test_every_payment_is_named_once_and_in_the_order_of_the_table():
    rows = (*moved(burst(6), LATER, "x"), *burst(6))
    found = fraud_in_export(rows)
    assert [each.id for each in found.rows] == [each.id for each in rows]
    assert found.total_cents == 12_000


def test_ordinary_payments_are_no_fraud():
    calm = [
        PaymentRow(str(day), datetime(2026, 3, 1) + timedelta(days=day), "k", "Graz", 900, "c", "d", "web")
        for day in range(20)
    ]
    assert fraud_in_export(calm).rows == fraud_in_history(calm).rows == ()


def test_a_hop_inside_a_burst_adds_no_rule():
    assert fraud_in_export(burst(6)).rules == ("burst/customer",)


def test_the_score_grows_with_rows_cities_density_and_sum():
    few, many = (Incident("value2/card", burst(count)) for count in (3, 5))
    slow = Incident("value2/card", burst(3, step_s=1_200))
    dear = Incident("value2/card", burst(3, cents=90_000))
    assert fraud_score(slow) < fraud_score(few) < min(fraud_score(many), fraud_score(dear))


def test_of_overlapping_incidents_the_more_convincing_is_taken():
    rows = burst(5, key="card", channel="service_desk", cents=50_000)
    assert fraud_in_export(rows).rules == ("burst/card",)
