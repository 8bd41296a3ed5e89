import pytest

from toolkit.finding import CannotRead
from toolkit.receipts import ReceiptLine, read_receipt, reprice


@pytest.mark.parametrize(
    ("line", "quantity", "unit", "total"),
    [
        ("2 AB-12CD Lamp 3.50 7.00", 2, 350, 700),
        ("AB-12CD Lamp red x2 3,50", 2, 350, 700),
        ("3 x AB-12CD  1.234 mm  9,99", 3, 999, 2997),
    ],
)
def test_a_line_is_read_in_several_layouts(line, quantity, unit, total):
    assert read_receipt([line]).lines == (ReceiptLine("AB-12CD", quantity, unit, total),)


@pytest.mark.parametrize(
    "line", ["Thanks for coming", "2 Lamps 3.50", "AB-12CD Lamp 3.50", "0 AB-12CD 3.50", "SUBTOTAL 9.00"]
)
def test_what_is_no_line_of_a_product_is_none(line):
    with pytest.raises(CannotRead):
        read_receipt([line])


def test_the_subtotal_is_not_the_total():
    found = read_receipt(["1 AB-12CD 5.00", "Sub-total EUR 5.00", "TOTAL incl. tax 6.00"])
    assert found.subtotal_cents == 500


@pytest.mark.parametrize(("tolerance", "is_within"), [(99, False), (100, True)])
def test_todays_sum_is_compared_within_a_tolerance(tolerance, is_within):
    lines = [ReceiptLine("A", 2, 100, 200), ReceiptLine("B", 1, 300, 300), ReceiptLine("A", 1, 100, 100)]
    found = reprice(lines, 600, {"A": 100, "B": 400}, tolerance_cents=tolerance)
    assert (found.current_cents, found.difference_cents, found.is_within) == (700, 100, is_within)
    assert found.codes == ("A", "B")
