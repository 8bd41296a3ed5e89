import pytest

from toolkit.text import yes_no_pair


@pytest.mark.parametrize(
    ("rules", "pair"),
    [
        ("- Whether something is\n  so: `AYE`, or `NAY`.", None),
        ("- If it is so the message is `AYE`, if it\n  is not, `NAY`.\n- See `/docs/a.md`.", ("AYE", "NAY")),
        ("For yes write `1`, for no write `0`; `OUTCOME_OK` goes with both.", ("1", "0")),
        ("For no write `0` and for yes `1`.", None),
        ("Yes/no: `ja` (yes) or `nein` (no).\n\nYes/no: `si` (yes) or `no` (no).", None),
        ("Say yes or no.", None),
        ("1) Look in `/docs`.\n2) Yes is `ja`, no is `nee`.", ("ja", "nee")),
        ("**Where.** Look in `/docs`.\n**What.** Yes is `ja`,\n  no is `nee`.", ("ja", "nee")),
    ],
)
def test_the_words_for_yes_and_no_stand_in_one_paragraph(rules, pair):
    assert yes_no_pair(rules) == pair
