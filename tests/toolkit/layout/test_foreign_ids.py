"""Ids that no record has."""

import pytest

from toolkit.layout import is_foreign_id


@pytest.mark.parametrize(
    ("value", "is_foreign"),
    [("cust-0174", True), ("cust_7", True), ("basket-1", False), ("active", False), ("2028-04-10", False), (7, False)],
)
def test_an_id_that_no_record_has_is_foreign(value, is_foreign):
    assert is_foreign_id(value, lambda name: name.startswith("basket")) is is_foreign
