import pytest

from benchmarks.shop.product_functions import property_match


@pytest.mark.parametrize(
    ("constraint", "key", "value", "holds"),
    [
        ("rechargeable", "rechargeable", "true", True),
        ("rechargeable", "rechargeable", "false", False),
        ("not rechargeable", "rechargeable", "true", False),
        ("not rechargeable", "rechargeable", "false", True),
        ("weight", "weight_kg", "2.4", False),
        ("two persons", "persons", "2", True),
        ("persons three", "persons", "2", False),
        ("size one size", "size", "one size", True),
        ("waterproof 3,000 mm", "waterproof_mm", "3000", True),
        ("waterproof 3 000 mm", "waterproof_mm", "3500", False),
        ("ip rating IP 65", "ip_rating", "IP65", True),
        ("size 4 x 5 m", "size", "4x5 m", True),
    ],
)
def test_flags_numbers_and_separators_are_read_as_people_write_them(constraint, key, value, holds):
    assert property_match(constraint, key, value) is holds
