"""Templates, dates and literal words."""

import pytest

from gates.language.answer_contract import derive_contract
from gates.language.format_clauses import date_clause
from gates.language.literal_forms import alone


@pytest.mark.parametrize(
    ("instruction", "demand"),
    [
        ("Give the count as <COUNT:%d>.", "exactly in the form `<COUNT:%d>`"),
        ('Reply as "%d books."', "exactly in the form `%d books.`"),
        ("The count in the answer is <N:%d>.", "a text that holds the form `<N:%d>`"),
        ("The date in the answer is exactly YYYY-MM-DD.", "a text with a date in the form `YYYY-MM-DD`"),
        ("Return it as EUR %d.%02d.", "exactly in the form `EUR %d.%02d`"),
        ("How many are lent, and who has them? Give the count as <N:%d>.", "a text that holds the form `<N:%d>`"),
        ("How many are lent, and who has them? Answer as <N:%d>.", "exactly in the form `<N:%d>`"),
        ("Explain it, and end the answer with <N:%d>.", "a text that holds the form `<N:%d>`"),
        ("Answer only with the date in the form TT.MM.JJJJ.", "only a date in the form `DD.MM.YYYY`"),
        ("Give the due date in ISO format.", "a text with a date in the form `YYYY-MM-DD`"),
        ("Return the weekday and the date as DD-MM-YYYY only.", "a text with a date in the form `DD-MM-YYYY`"),
        ("Return only the day. Format: YYYY-MM-DD.", "only a date in the form `YYYY-MM-DD`"),
        ("Answer only <YES> or <NO>.", "exactly one of `<YES>`, `<NO>`"),
        ("State whether it is `lent` or `free`.", "a text with exactly one of `lent`, `free`"),
        ("Is it open? Say OPEN or CLOSED.", "a text with exactly one of `OPEN`, `CLOSED`"),
    ],
)
def test_a_literal_form_is_the_only_demand(instruction: str, demand: str) -> None:
    assert [clause.demand for clause in derive_contract(instruction, "").clauses] == [demand]


@pytest.mark.parametrize(
    "instruction",
    [
        "Reply with IBAN or BIC.",
        "Return the file as CSV or TSV.",
        'Use "lent" or "free" as the label.',
        "State the 10 %d of it.",
        'Give 5 to "a %d b".',
        "Return when the file named YYYY-MM-DD is there.",
        'Reply to "yes" or "yes".',
    ],
)
def test_a_form_that_is_not_introduced_is_none(instruction: str) -> None:
    assert derive_contract(instruction, "").clauses == ()


def test_a_choice_is_kept_by_exactly_one_of_its_words() -> None:
    contract = derive_contract("State whether it is `lent` or `not lent`.", "")
    assert [bool(contract.breach(each)) for each in ("It is not lent.", "lent", "lent or not lent", "lents")] == [
        False,
        False,
        True,
        True,
    ]


def test_a_date_in_the_name_of_a_file_is_no_form_of_the_answer() -> None:
    for name in ("stock-YYYY-MM-DD.csv", "YYYY-MM-DD_stock.tsv"):
        assert derive_contract(f"Name the export after the day: {name}.", "").clauses == ()
    assert derive_contract("Give the date as YYYY-MM-DD.", "").clauses


@pytest.mark.parametrize(
    ("words", "is_whole", "is_whole_alone"),
    [
        ("Tell the day as YYYY-MM-DD.", False, True),
        ("Tell the day as YYYY-MM-DD.", True, True),
        ("Tell the day as YYYY-MM-DD and the time.", False, False),
        ("Tell the day as YYYY-MM-DD and the time.", True, True),
    ],
)
def test_a_date_that_is_asked_for_alone_fixes_the_answer_unless_a_time_stands_beside_it(
    words: str, is_whole: bool, is_whole_alone: bool
) -> None:
    clause = date_clause("YYYY-MM-DD", words, is_whole=is_whole)
    found = alone(clause)
    assert found.fixes_whole_answer is is_whole_alone
    assert (found is clause) is (is_whole is is_whole_alone)
