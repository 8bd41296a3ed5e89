"""What an instruction demands of an answer's form, and what is left alone because it is not certain."""

import pytest

from gates.language import format_clauses
from gates.language.answer_contract import Contract, derive_contract
from gates.language.format_clauses import Clause
from tests.gates.language.yes_no_rules import PAIR


@pytest.mark.parametrize(
    ("instruction", "rules"),
    [
        ("How long does a loan run?", ""),
        ("", PAIR),
        ("What is the phone? Only call if needed.", ""),
        ("Delete only files that end in `.tmp`.", ""),
        ("What value is recorded in the product JSON?", ""),
        ("Write a JSON file with the key `id`.", ""),
        ('Give 10% discount on "books".', ""),
        ("Name the file after the date, YYYY-MM-DD.", ""),
        ("Return only names.", ""),
        ("Return only the value of each, one per line.", ""),
        ("The log is sorted alphabetically, one per line.", ""),
        ("Reply with the names, one per line.", ""),
        ("Answer only in English.", ""),
        ("Answer in this format\nx=%d", ""),
        ("Answer so:\nx=%d", ""),
        ("Answer in the format that follows:\nlike this", ""),
        ("The log has this format:\nx=%d", ""),
        ("Answer with rows in the ref format:\nx=%d", ""),
        ("Which day? Format the answer as mon DD YYYY.", ""),
        ("Which day? Return the abbreviated weekday, DD\nMon YYYY.", ""),
        ("Answer in this format:\n" + "x" * 78 + "%d", ""),
        ("Answer with the shelf mark `[row N]`.", ""),
        ("Labels have this format:\nx=%d", ""),
        ('The labels print "%d" for every row.', ""),
        ("Return when the file named YYYY-MM-DD is there.", ""),
        ("The desk writes days as DD-MM-YYYY. How many loans are late?", ""),
        ("Reply in json-ish shorthand.", ""),
        ('The log holds "%d" for every row.', ""),
        ('Answer briefly and cite rows as "x#row=%d".', ""),
        ('Answer with the "id".', ""),
        ("Reply when done, and cite rows in the format x#row=%d.", ""),
        ("Write a file with the columns `a | b | c` and reply when it is done.", ""),
        ("The shelves are `a | b | c`.", ""),
        ("How are the names sorted, one per line? Sort them so.", ""),
        ("List them one per line, sorted by price. Answer briefly.", ""),
        ("For grounding refs cite rows in the format `/a.tsv#row=%d`.", ""),
        ("Is b-104 on the shelf?", ""),
        ("Is b-104 on the shelf?", "Answer yes or no."),
        ("Is b-104 on the shelf?", "A shelf is `north` or `south`."),
        ("Is b-104 on the shelf?", "Yes/no answers use `ja`, `nein` or `doch`."),
        ("Is b-104 on the shelf?", f"{PAIR} Elsewhere a yes/no answer is `1` or `0`."),
        ("How many books are there?", PAIR),
        ("Can you lend me b-104?", PAIR),
        ("Is Ada at the desk? If yes, give me her number.", PAIR),
        ("Check whether it is there. Is it known which shelf?", PAIR),
    ],
)
def test_what_is_not_certain_is_not_demanded(instruction: str, rules: str) -> None:
    assert derive_contract(instruction, rules) == Contract(())


@pytest.mark.parametrize(
    ("instruction", "demand"),
    [
        ('Answer in exactly format "%d".', "exactly in the form `%d`"),
        ('The answer must contain "%d".', "a text that holds the form `%d`"),
        ("Respond DD-MM-YYYY only.", "only a date in the form `DD-MM-YYYY`"),
        ("When? DD-MM-YYYY", "a text with a date in the form `DD-MM-YYYY`"),
        ("Return only the names, one per line, sorted alphabetically.", "items, one per line, sorted alphabetically"),
        ("Return only the paths, one per line, sorted alphabetically.", "paths, one per line, sorted alphabetically"),
        ("Reply only JSON with the keys `id`, `days`.", "JSON with the keys id, days and nothing else"),
        ("Reply only JSON.", "JSON and nothing else"),
    ],
)
def test_a_demand_is_told_in_words(instruction: str, demand: str) -> None:
    assert demand in [each.demand for each in derive_contract(instruction, "").clauses]


@pytest.mark.parametrize(
    ("clause", "kind", "demand", "right", "wrong"),
    [
        (
            format_clauses.amount_clause("EUR", 2, "", is_whole=True),
            "amount",
            "only an amount in EUR with 2 decimals",
            ["7.00", "EUR 7,00", "1 199.00€"],
            ["It is 7.00.", "7", "7.000"],
        ),
        (
            format_clauses.amount_clause("EUR", 2, "", is_whole=False),
            "amount",
            "a text with an amount in EUR with 2 decimals",
            ["It is 7.00.", "7.00"],
            ["It is 7.", "It is 1.2345,67."],
        ),
        (
            format_clauses.choice_clause(("A", "AB"), "", is_whole=True),
            "choice",
            "exactly one of `A`, `AB`",
            ["A", " AB "],
            ["C", "It is A."],
        ),
        (
            format_clauses.choice_clause(("A", "AB"), "", is_whole=False),
            "choice",
            "a text with exactly one of `A`, `AB`",
            ["A", "It is AB."],
            ["C", "A and AB", "xABx"],
        ),
        (
            format_clauses.choice_clause(("A", "B", "C"), "", is_whole=False),
            "choice",
            "a text with exactly one of `A`, `B`, `C`",
            ["It is A."],
            ["A or B", "none"],
        ),
        (
            format_clauses.lines_clause("", of="paths", is_sorted=False),
            "paths",
            "paths, one per line",
            ["/b\n/a", "none"],
            ["/a\nb", "/a\n\n/b"],
        ),
        (
            format_clauses.lines_clause("", of="codes", is_sorted=True),
            "lines",
            "codes, one per line, sorted alphabetically",
            ["x4\nx05", "x8\nx10\nx90", "A\nb", "B\na"],
            ["b\na", "a b\nc"],
        ),
        (
            format_clauses.list_clause(",", "", of="codes", is_sorted=True),
            "list",
            "codes on one line, separated by `,`, sorted alphabetically, and nothing else",
            ["A-1, A-2", "A-1"],
            ["A-2, A-1", "A-1,\nA-2", "A-1, and so on"],
        ),
        (
            format_clauses.list_clause(",", "", of="items", is_sorted=False),
            "list",
            "items on one line, separated by `,`, and nothing else",
            ["b c, a"],
            ["a,, b"],
        ),
    ],
)
def test_a_demand_accepts_its_form_alone(
    clause: Clause, kind: str, demand: str, right: list[str], wrong: list[str]
) -> None:
    assert (clause.kind, clause.demand) == (kind, demand)
    assert [each for each in (*right, *wrong) if clause.accepts(each)] == right
    assert clause.accepts(clause.example)
    assert clause.example.startswith("/") is (kind == "paths")


def test_a_form_on_a_line_of_its_own_has_a_placeholder() -> None:
    assert [each.kind for each in derive_contract("Answer in this format:\nx=%d", "").clauses] == ["template"]
    assert derive_contract("Answer in this format:\n50% off", "").clauses == ()
