import pytest

from benchmarks.shop.matching import Description, product_codes, property_match, split_description
from benchmarks.shop.stock_functions import ScannedItem, read_coded_lines, read_scan, repaired_code

SLIP = """\
SHOP MANUAL SALES SLIP
Store : Shop M1ll Lane
[1]  I  Nordvane Skerry two-per       199.9O    199.90
        son tent
     SKU / clerk note: VH-TNT-5KERRY-2P
SCANNED
[2]  20  Tarnlight Wisp lamp          15.00    300.00
     SKU / clerk note: VH-LMP-WISP-OLD
Manual subtotal excl. VAT   EUR 499.9O
Tax VAT 20%                 EUR 99.98
"""


def test_items_are_read_though_letters_stand_for_digits():
    found = read_scan(SLIP)
    assert found.items == (
        ScannedItem(1, "Nordvane Skerry two-per son tent", "VH-TNT-5KERRY-2P", 19990, 19990),
        ScannedItem(20, "Tarnlight Wisp lamp", "VH-LMP-WISP-OLD", 1500, 30000),
    )
    assert found.subtotal_cents == 49990
    assert found.head == ("SHOP MANUAL SALES SLIP", "Store : Shop M1ll Lane")


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
    ("lines", "items", "subtotal"),
    [
        (["Shop Nine", "2 x AB-12CD 3,50 7,00", "Sub-total 7,00"], [("AB-12CD", 2, 350, 700)], 700),
        (["AB-12CD lamp 3 pcs 2.00"], [("AB-12CD", 3, 200, 600)], None),
        (["AB-12CD 0 2.00", "1 EF-99 5.00"], [("EF-99", 1, 500, 500)], None),
        (["2 x", "AB-12CD lamp 3.50 7.00", "SUB T0TAL 7.00"], [("AB-12CD", 2, 350, 700)], 700),
        (
            ["[1] Qty: 2", "", "AB-12CD 3.50", "1", "EF-99 5.00 5.00"],
            [("AB-12CD", 2, 350, 700), ("EF-99", 1, 500, 500)],
            None,
        ),
        (["Z AB-12CD lamp 3.5O 7.OO", "5UB TOTAL 7.0O"], [("AB-12CD", 2, 350, 700)], 700),
        (["2 @ 1,150.00 AB-12CD 2,300.00", "SUBTOTAI EUR 2,300.00"], [("AB-12CD", 2, 115_000, 230_000)], 230_000),
    ],
)
def test_lines_with_codes_are_read_without_names(lines, items, subtotal):
    found = read_coded_lines(lines)
    assert [(item.code, item.count, item.unit_cents, item.total_cents) for item in found.items] == items
    assert found.subtotal_cents == subtotal
    assert read_coded_lines(["no code 2 3.00"]) is None


@pytest.mark.parametrize(
    ("read", "code"),
    [
        *[("LM-O1", "LM-01"), ("LM-OI", "LM-01"), ("LM-5S", None), ("LM01", None), ("LM-" + "0" * 8, None)],
        *[("lm-ol", "LM-01"), ("LM 01", "LM-01"), ("LM_O1", "LM-01"), ("LM–01", "LM-01")],
        ("LM-LI6H7-1SLO5-OO", "LM-LI6H7-ISLO5-00"),
    ],
)
def test_a_misread_code_is_repaired_if_one_code_alone_fits(read, code):
    assert repaired_code(read, {"LM-01", "LM-55", "LM-SS", "LM-LI6H7-ISLO5-00"}) == code


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


def test_a_description_in_the_catalogues_phrase_is_cut_into_line_and_constraints():
    said = "the Tent from Ora in the Ora Lite line that has colour red, weight 2.4 kg and no poles"
    found = split_description(said, Description("", "", "", ()))
    assert (found.brand, found.kind, found.family) == ("Ora", "Tent", "Ora Lite")
    cut = [(part.text, part.label, part.value, part.is_negated) for part in found.constraints]
    assert cut[:2] == [("colour red", "colour", "red", False), ("weight 2.4 kg", "weight", "2.4 kg", False)]
    assert (cut[2][0], cut[2][3]) == ("poles", True)
    assert split_description("a red tent", found) is found
