"""Products, as people and scanners write of them. Most is a case of a recorded table: tests/exoskeleton."""

import pytest

from toolkit.matching import product_codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Is VH-LMP-WISP-200 there?", ["VH-LMP-WISP-200"]),
        ("Tomorrow as DD-MM-YYYY, please", []),
        ("the row of 2027-03-04-11 as YYYY-MM-DD-HH", []),
    ],
)
def test_a_date_and_its_form_are_not_codes(text, codes):
    assert product_codes(text) == codes
