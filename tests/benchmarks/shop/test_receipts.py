import pytest

from benchmarks.shop.matching import product_codes, property_match
from benchmarks.shop.stock_functions import read_scan


@pytest.mark.parametrize(
    ("slip", "count", "name", "subtotal"),
    [
        ("2 x\nOstra Kettle  10.00  20.00\nSUB T0TAL 20.00", 2, "Ostra Kettle", 2_000),
        ("3\nBrim Cup 3.10 9.30\nnote: K-CUP\n5UBTOTAL EUR 9.30", 3, "Brim Cup", 930),
        ("[1]  2\n     Brim Cup 3.10 6.20\nS U B T O T A L 6.20", 2, "Brim Cup", 620),
        ("Qty: Z\nBrim Cup 3.1O 6.2O\nSUBT OTAL 6.20", 2, "Brim Cup", 620),
        ("x2\n\nBrim Cup 3.10 6.20\n5U6TOTAL 6.20", 2, "Brim Cup", 620),
        ("2 @\nBrim Cup 3,10 6,20\nSUB-TOTAI 6,20", 2, "Brim Cup", 620),
        ("2 pieces\nBrim Cup 3.10 6.20\nSU8TOTAL: EUR 6.20", 2, "Brim Cup", 620),
        ("1 Ostra Kettle 10.00 10.00\nSubt0ta1 excl. VAT 10.00\nT0TAL 12.10", 1, "Ostra Kettle", 1_000),
        ("1 Ostra Tent 1.250,00 1.250,00\nSUBTOTL 1.250,00", 1, "Ostra Tent", 125_000),
        ("2 Ostra Kettle EUR 10.00 EUR 20.00\nSub. Total EUR 20.00", 2, "Ostra Kettle", 2_000),
        ("OTY 2\nOstra Kettle 10.00 € 20.00 €\nZwischensumme 20.00 €", 2, "Ostra Kettle", 2_000),
    ],
)
def test_a_count_above_its_item_and_a_garbled_subtotal_are_read(slip, count, name, subtotal):
    found = read_scan(slip)
    assert [(item.count, item.name) for item in found.items] == [(count, name)]
    assert found.subtotal_cents == subtotal


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Is VH-LMP-WISP-200 there?", ["VH-LMP-WISP-200"]),
        ("Tomorrow as DD-MM-YYYY, please", []),
        ("the row of 2027-03-04-11 as YYYY-MM-DD-HH", []),
        ("31-DEC-2027 as DD-MMM-YYYY", []),
        ("week 2027-W05-0001 as YYYY-WW-DD", []),
        ("in ISO-8601-2019, ISO8601-YYYY-MM-DD", []),
        ("TT-MM-JJJJ, JJJJ-MM-TT or AAAA-MM-JJ", []),
        ("OUTCOME-OK-ONLY in UTF-8-ENCODED text, SHA-256-SUM, DO-NOT-REPLY", []),
        ("PT-BIT-ALP-HSS-REDUCED", ["PT-BIT-ALP-HSS-REDUCED"]),
        ("YYYY-QQ-MM-DD and not NB-CAM-R5-500", ["NB-CAM-R5-500"]),
        ("the LAST-MINUTE-OFFER of the SUMMER-SALE-BANNER on TENT-LIGHT-2", ["TENT-LIGHT-2"]),
    ],
)
def test_dates_their_forms_and_mere_words_are_not_codes(text, codes):
    assert product_codes(text) == codes


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
