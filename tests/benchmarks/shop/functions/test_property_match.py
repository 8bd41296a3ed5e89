"""Whether a property of a product fits what a customer asks for, as people write it.

    property_match("waterproof 3,000 mm", "waterproof_mm", "3000")  # True

The first words name the property and the rest its value, or the other way round: `two persons`. The
name and the value of the property are those of the product's record.
"""

import pytest

from controlplane.benchmarks.shop.products.product_properties import property_match


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        pytest.param("rechargeable", "rechargeable", "true", id="a wish"),
        pytest.param("not rechargeable", "rechargeable", "false", id="its lack"),
        pytest.param("two persons", "persons", "2", id="a number as a word"),
        pytest.param("size one size", "size", "one size", id="a name in a value"),
        pytest.param(
            "waterproof 3,000 mm", "waterproof_mm", "3000", id="a unit in the name"
        ),
        pytest.param("ip rating IP 65", "ip_rating", "IP65", id="a blank more"),
        pytest.param("size 4 x 5 m", "size", "4x5 m", id="two blanks more"),
    ],
)
def test_a_property_fits_a_constraint_as_people_write_it(
    constraint: str, key: str, value: str
) -> None:
    """`key` and `value` are a property of a product, as in the JSON of its record."""
    assert property_match(constraint, key, value) is True


@pytest.mark.parametrize(
    ("constraint", "key", "value"),
    [
        pytest.param("rechargeable", "rechargeable", "false", id="a wish"),
        pytest.param("not rechargeable", "rechargeable", "true", id="its lack"),
        pytest.param("weight", "weight_kg", "2.4", id="no value is wanted"),
        pytest.param("persons three", "persons", "2", id="another number"),
        pytest.param(
            "waterproof 3 000 mm", "waterproof_mm", "3500", id="3000 is not 3500"
        ),
    ],
)
def test_a_property_with_another_value_does_not_fit(
    constraint: str, key: str, value: str
) -> None:
    """The product has the property, but not as the customer wants it."""
    assert property_match(constraint, key, value) is False
