"""Which single value an order limits the answer to."""

import pytest

from gates.language.answer_contract import derive_contract


@pytest.mark.parametrize(
    ("instruction", "kept", "broken"),
    [
        ("Output only the number.", ["7", "1,199"], ["7 lamps"]),
        ("Output only the number of lamps.", ["7"], ["7 lamps"]),
        ("Return only the number of the invoice.", ["INV 7"], ["INV\n7"]),
        ("Return only the number of the invoice", ["INV 7"], ["INV\n7"]),
        ("Output only the number on the box.", ["7"], ["7 lamps"]),
        ("Answer with the number by itself each time.", ["7"], ["7 lamps"]),
        ("Answer with an integer only.", ["7", "1,199", "-3"], ["7.5", "seven"]),
        ("Output only the number, rounded to 2 decimal places.", ["7.50", "1,199.00"], ["7.5", "7", "7.500"]),
        ("Return only the total in EUR with two decimals.", ["EUR 7.50", "7,50 €", "7.50"], ["7.5", "it is 7.50", "7"]),
        ("State the total in EUR with two decimals.", ["It is 7.50 EUR."], ["It is 7.5 EUR.", "1.234.567"]),
        ("Only the member id, please.", ["m-7"], ["it is m-7"]),
        ("Give only the zip code.", ["SW1A 1AA"], ["SW1A\n1AA"]),
        ("Reply in exactly one word.", ["red"], ["dark red"]),
        ("Return nothing but the file path.", ["/a b/c"], ["c", "/a\n/b"]),
    ],
)
def test_a_limit_names_the_value(instruction: str, kept: list[str], broken: list[str]) -> None:
    contract = derive_contract(instruction, "")
    assert contract.is_enforced
    assert [answer for answer in kept if contract.breach(answer)] == []
    assert [answer for answer in broken if not contract.breach(answer)] == []


@pytest.mark.parametrize(
    "instruction",
    [
        "Give the number of lamps.",
        "Just tell me the reason.",
        "Just show me the lamp.",
        "Reply with the number and the name only.",
        "Reply with the number or the name only.",
        "Return only the list of lamps.",
        "Return only names.",
        "Give the total in EUR.",
    ],
)
def test_without_a_limit_to_one_value_nothing_is_demanded(instruction: str) -> None:
    assert derive_contract(instruction, "").clauses == ()


@pytest.mark.parametrize(("head", "kind"), [("city", "value"), ("total", "line")])
def test_a_value_that_is_computed_stands_in_no_record(head: str, kind: str) -> None:
    assert [clause.kind for clause in derive_contract(f"Return only the {head}.", "").clauses] == [kind]


def test_an_adjective_behind_a_german_article_names_no_value() -> None:
    assert derive_contract("Nur die roten, bitte.", "").clauses == ()
    for noun in ("Antworte nur mit dem Namen.", "Nur die Zahl, bitte.", "Nur die Farbe, bitte.", "nur die zahl bitte"):
        assert derive_contract(noun, "").clauses, noun
