"""Products, as people and scanners write of them. Most is a case of a recorded table: tests/exoskeleton."""

import pytest

from toolkit.matching import Description, product_codes, property_match, split_description


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
