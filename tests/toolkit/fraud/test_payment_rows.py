from datetime import datetime, timedelta

import pytest

from toolkit.fraud import PaymentRow
from toolkit.fraud.payment_rows import KEYS, chains, cities, grouped, total_cents, windows

START = datetime(2026, 3, 1, 8)


def row(name, minute, *, customer="k", city="Graz", cents=100, **more):
    return PaymentRow(name, START + timedelta(minutes=minute), customer, city, cents, **more)


def names(rows):
    return "".join(each.id for each in rows)


ROWS = (row("a", 0), row("b", 5), row("c", 10), row("d", 30))


def test_a_window_begins_at_every_row_and_includes_its_end():
    assert [names(each) for each in windows(ROWS, timedelta(minutes=10))] == ["abc", "bc", "c", "d"]


@pytest.mark.parametrize(("gap", "found"), [(4, ["a", "b", "c", "d"]), (5, ["abc", "d"]), (20, ["abcd"])])
def test_a_chain_breaks_at_a_longer_gap(gap, found):
    assert [names(each) for each in chains(ROWS, timedelta(minutes=gap))] == found


def test_groups_are_in_order_of_time_and_leave_out_rows_without_a_key():
    rows = [row("b", 5, card="x"), row("a", 0, card="x"), row("c", 1, card=""), row("d", 1, card="y")]
    assert sorted(names(each) for each in grouped(rows, KEYS["card"])) == ["ab", "d"]


@pytest.mark.parametrize(("channel", "is_own"), [("web", True), (None, True), ("store_kiosk", False), ("", False)])
def test_a_channel_is_the_customers_own_if_it_is_known_as_one(channel, is_own):
    assert row("a", 0, channel=channel).is_own is is_own


def test_sums():
    assert (cities((*ROWS, row("e", 1, city="Wien"))), total_cents(ROWS)) == (2, 400)
