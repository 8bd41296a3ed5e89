"""Readings that hang on one word: each instruction with its demands, or with the answers that keep and break them."""

import pytest

from gates.language import format_clauses as forms
from gates.language.answer_contract import derive_contract

LINE = "one line with the value alone"
NUMBER = "a number and nothing else"
COUNT = "exactly in the form `<COUNT:%d>`"
HOLDS_COUNT = "a text that holds the form `<COUNT:%d>`"


@pytest.mark.parametrize(
    ("instruction", "demands"),
    [
        ("Include just the date.", []),
        ("End with only the city.", []),
        ("Can you tell me how many lamps we have? Only reply with the number.", [NUMBER]),
        ("Just TT.MM.JJJJ.", ["only a date in the form `DD.MM.YYYY`"]),
        ("Only the it.", []),
        ("Return only the total in EUR.", [LINE]),
        ("Return only total in EUR.", []),
        ("Only either big red lamp code.", []),
        ("Just the big red lamp code.", [LINE]),
        ("State only `x`.", [LINE]),
        ("Just the #1.", [LINE]),
        ("Nenne nur das letzte Wort.", [LINE]),
        ("Nenne nur last word.", []),
        ("Just its last word.", [LINE]),
        ("Nenne nur status.", [LINE]),
        ("Write just the number of my", [NUMBER]),
        ("State only the number of my lamps.", [NUMBER]),
        ("State only the number of my lamp.", [LINE]),
        ("Use nothing but `%d` only.", ["exactly in the form `%d`"]),
        ("Format it as its %d of %d.", ["exactly in the form `%d of %d`"]),
        ("Nenne nur only <COUNT:%d>, and then explain why.", [COUNT]),
        ("Give a count=%d first, then explain why.", ["a text that holds the form `count=%d`"]),
        ("Give ISO format.", []),
        ("Give the day in ISO format.", ["a text with a date in the form `YYYY-MM-DD`"]),
        ("State a `a` or `b`.", []),
        ("State either `a` or `b`.", ["a text with exactly one of `a`, `b`"]),
        ("State either `a` or `a`.", []),
        ("State either `a` or `%d`.", []),
        ("Answer in the part <COUNT:%d> of it.", [COUNT]),
        ("How many, and who? Give it as <COUNT:%d>.", [COUNT]),
        ("How many, and who? Give the count as <COUNT:%d>.", [HOLDS_COUNT]),
        ("How many? Return the count as <COUNT:%d> into the file /a/b.txt.", []),
        ("> Return <COUNT:%d>.", []),
        ("If it is open, answer only <COUNT:%d>.", []),
        ('It says "return only the city.', []),
        ("It says `return only the city.", []),
    ],
)
def test_an_instruction_demands_what_a_careful_reader_reads(instruction: str, demands: list[str]) -> None:
    assert [each.demand for each in derive_contract(instruction, "").clauses] == demands


@pytest.mark.parametrize(
    ("rules", "kept", "broken"),
    [
        ("A yes/no answer is `ja` or `nein`.", ["ja", "It is ja."], ["7", "ja nein", "It is open."]),
        ("A yes/no answer is only `ja` or `nein`.", ["ja", " nein "], ["It is ja.", "ja nein", "7"]),
    ],
)
def test_a_word_of_yes_or_no_stands_alone_or_in_a_text(rules: str, kept: list[str], broken: list[str]) -> None:
    contract = derive_contract("Is it open?", rules)
    assert [each for each in kept if contract.breach(each)] == []
    assert [each for each in broken if not contract.breach(each)] == []


@pytest.mark.parametrize("instruction", ["Is it open", "Open it.\nIs it", "Is it open? Close it.", "Can you open it?"])
def test_what_is_no_yes_no_question_wants_no_such_word(instruction: str) -> None:
    assert derive_contract(instruction, "A yes/no answer is `ja` or `nein`.").clauses == ()


@pytest.mark.parametrize(
    "instruction", ["Is it red?\nIs it open?", "It is red.\nIs it open?", "Is it red? Is it open?"]
)
def test_the_last_question_counts(instruction: str) -> None:
    assert derive_contract(instruction, "A yes/no answer is `ja` or `nein`.").clauses != ()


@pytest.mark.parametrize(
    ("clause", "kept", "broken"),
    [
        (forms.amount_clause("EUR", 2, "", is_whole=True), ["EUR 7.50", "7,50 €"], ["It is 7.50 EUR.", "7.5"]),
        (forms.amount_clause("EUR", 2, "", is_whole=False), ["It is 7.50 EUR."], ["It is 7.5 EUR."]),
        (forms.choice_clause(("lent", "free"), "", is_whole=True), ["lent"], ["It is lent.", "lent free", "open"]),
        (
            forms.choice_clause(("lent", "free"), "", is_whole=False),
            ["lent", "It is lent."],
            ["lent free", "lentfree", "x"],
        ),
        (forms.lines_clause("", of="items", is_sorted=False), ["b\na", "a b\nc"], ["a\n\nb"]),
        (forms.lines_clause("", of="paths", is_sorted=True), ["/a\n/b"], ["/b\n/a", "a\nb"]),
        (
            forms.list_clause(",", "", of="items", is_sorted=True),
            ["a, b", "x9, x10", "éa, eb"],
            ["b, a", "x10, x9, x8"],
        ),
        (forms.list_clause(",", "", of="items", is_sorted=True), ["0, 9, 10", "9, a", "x0, x09"], ["a, 9", "9, 10, 0"]),
        (forms.list_clause(",", "", of="items", is_sorted=False), ["b, a"], ["a,, b"]),
        (forms.list_clause(",", "", of="codes", is_sorted=False), ["b-7, a-8"], ["a 7, b 8"]),
    ],
)
def test_a_form_is_kept_and_broken_by_what_it_says(clause: forms.Clause, kept: list[str], broken: list[str]) -> None:
    assert [each for each in kept if not clause.accepts(each)] == []
    assert [each for each in broken if clause.accepts(each)] == []
