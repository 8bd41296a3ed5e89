"""What an instruction demands of an answer's form, and what is left alone because it is not certain."""

import pytest

from gates.language.answer_contract import Contract, derive_contract
from tests.gates.language.yes_no_rules import PAIR
from tests.gates.sample_trials import judged, pad, verdict


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


def test_demands_that_contradict_each_other_are_reported_and_not_enforced() -> None:
    contract = derive_contract('Answer with number only, in the format "<COUNT:%d>". Reply with number only.', "")
    assert "contradict" in contract.conflict
    assert not contract.is_enforced
    assert (
        verdict(judged(pad(answer="seven"), instruction="Reply with number only. Is it? yes/no", rules=PAIR), 8).result
        == "not_applicable"
    )


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
