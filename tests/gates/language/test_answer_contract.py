"""The answer contract: what is derived from instruction and rules, and what it holds up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gates.language.answer_contract import derive_contract
from tests.gates.language.yes_no_rules import HELD, PAIR
from tests.gates.sample_trials import judged, pad, verdict

TABLE = "Return exactly this tab-separated table, including the header, in the same order:\nid\tdays\nRows:\nb-104\t3"
KEPT_AND_BROKEN = [
    ("Name the shelf in the format x=%d.", "", ["x=7"], ["x=7 it is"]),
    ("How many? Answer with number ONLY.", "", ["7"], ["7 books"]),
    ("Return the names, ONE PER LINE, sorted.", "", ["a\nb"], ["b\na"]),
    ('Reply as "x=%0d".', "", ["x=7", "x=12"], ["x="]),
    ('Reply as "%f".', "", ["7.000000"], ["7.0"]),
    ("Is it here?", 'A yes/no answer is exactly "ja" or "nein".', ["ja"], ["ja, it is"]),
    ("Is it here?", "A yes/no answer is exactly <YES> or <NO>.", ["<YES>"], ["yes"]),
    ("Is it here?", "For `yes/no` questions the whole message is `ja` or `nein`.", ["ja"], ["yes/no"]),
    ("Answer in exactly format “%d” (no quotes).", "", ["7"], ["“7”"]),
    ("Return  only\u00a0the  deleted paths,\u00a0one  per line, sorted alphabetically.", "", ["/a\n/b"], ["/b\n/a"]),
    ("Delete them. Return only the deleted\npaths, one per line, sorted alphabetically.", "", ["/a\n/b"], ["/b\n/a"]),
    ("Which day? Format the answer as month DD, YYYY only.", "", ["May 04, 2031"], ["04, 2031"]),
    ("Answer format: `<QTY:N>`.", "", ["<QTY:3>"], ["3", "<QTY:N>"]),
    ("Answer format: `<QTY: NUMBER>`.", "", ["<QTY: 3>"], ["3", "<QTY: NUMBER>"]),
    ('Answer in the format "%d", where "days" are meant.', "", ["3"], ["days"]),
    ("Answer exactly DD-MM-YYYY.", "", ["04-05-2031"], ["It is 04-05-2031"]),
    ("Return only the loan date. Format: YYYY-MM-DD.", "", ["2031-05-04"], ["on 2031-05-04"]),
    ("Answer in this format:\n" + "x" * 77 + "%d", "", ["x" * 77 + "3"], ["3"]),
    ("The answer must contain a line in this format:\nx=%d", "", ["Found: x=3"], ["3"]),
    ("Answer with the house number only.", "", ["12 a"], ["12\na"]),
    ("Answer with only the zip code.", "", ["SW1A 1AA"], ["SW1A\n1AA"]),
    ("Answer only with the status.", "", ["checked out"], ["checked\nout"]),
    ('Reply as "%2d of %.1f".', "", ["7 of 1.5"], ["07.5 of 1.5", "7 of 1.55"]),
    ('The answer must contain "<COUNT:%d>".', "", ["It is <COUNT:3>."], ["It is 3."]),
    ("Return only the deleted paths, one per line, sorted alphabetically. ", "", ["/a\n/b\n/c"], ["/a\nb"]),
    (TABLE, "", ["id\tdays\nb-104\t3"], ["id days", "id\tdays\tfee", "b-104"]),
    ("Answer in this format:\n \nx=%d", "", ["x=3"], ["3"]),
    ("The desk is open. " * 30 + "How many? Answer with number only.", "", ["7"], ["7 books"]),
    (
        "Is it here?",
        "A yes/no answer must include `available` or `not available`.",
        ["not available", "available today"],
        ["available or not available", "here"],
    ),
    ("Is it here?", "A yes/no message includes `ja` or `nein` and nothing else.", ["ja"], ["ja, it is"]),
    ("Is it here?", "A yes/no message must include exactly `ja` or `nein`.", ["ja, it is"], ["ja nein"]),
    ("Delete them. Answer with the deleted paths, one per line, sorted.", "", ["/a\n/b"], ["/b\n/a"]),
    ("Answer exactly in the format count=%d.", "", ["count=3"], ["3", "count=3."]),
    ("Counting what arrives, do you have 4 of b-104?", PAIR, ["ja"], ["ja, 4"]),
    (
        'How many books? Answer in exactly format "<COUNT:%d>" (no quotes).',
        "",
        ["<COUNT:0>", "<COUNT:12>"],
        ["12", "<COUNT:12>."],
    ),
    (
        'How many books? Answer exactly in format "%d" (no quotes).',
        "",
        ["0", "12", " 12\n"],
        ["12 books", "<COUNT:12>", "1.5"],
    ),
    ("Answer exactly as [QTY:%d] and cite every shelf.", "", ["[QTY:3]"], ["3", "QTY:3"]),
    ("Answer format: `<QTY:NUMBER>`.", "", ["<QTY:3>"], ["3", "<QTY:NUMBER>"]),
    (
        "The message must hold only the sum, formatted exactly as:\n\nEUR %d.%02d\n\nAnswer so.",
        "",
        ["EUR 7.05"],
        ["EUR 7.5", "7.05 EUR", "It is EUR 7.05"],
    ),
    ('Reply as "%s: %.2f".', "", ["b-1: 2.50"], ["b-1: 2.5", ": 2.50"]),
    ("How many? Answer with number only", "", ["7", "1,199", "-3.5"], ["7 books", "seven", "The number is 7"]),
    ("Respond with # of late loans as number only", "", ["7"], ["7 loans"]),
    ("sku for the red lamp pls. sku only.", "", ["AB-7/x"], ["The sku is AB-7", "AB 7"]),
    ("Which code? Just the code, please.", "", ["AB-7"], ["It is AB-7"]),
    ("Return the SKU only.", "", ["AB-7"], ["AB-7 or AB-8"]),
    (
        "Make a list at /exports/a.tsv. Return only the report path and cite the source.",
        "",
        ["/exports/a.tsv"],
        ["Done: /exports/a.tsv", "/a\n/b"],
    ),
    ("What `city` is recorded? Return only the exact city.", "", ["Bad Ischl"], ["Bad\nIschl"]),
    (
        "What day is tomorrow? Respond DD-MM-YYYY only.",
        "",
        ["04-05-2031"],
        ["2031-05-04", "4-5-2031", "It is 04-05-2031"],
    ),
    ("When was it founded? YYYY-MM-DD", "", ["2031-05-04", "on 2031-05-04"], ["04.05.2031", "2031-13-04"]),
    ("Return the date as Wkd DD Mon YYYY only.", "", ["Sun 04 May 2031"], ["Sunday 04 May 2031"]),
    ("Return abbreviated weekday, DD Mon YYYY only.", "", ["Sun, 04 May 2031"], ["Sun, 4 May 2031"]),
    ("Format the answer as Month DD, YYYY only.", "", ["May 04, 2031"], ["May 4, 2031"]),
    ("Return exactly `name | title | desk` for me.", "", ["A | B | C"], ["A, B, C", "A | B", "A | B | C\nA | B"]),
    (
        "Return only the deleted paths, one per line, sorted alphabetically.",
        "",
        ["/a\n/b", "/a/x", "Nothing was deleted."],
        ["/b\n/a", "/a\n\n/b", "Deleted:\n/a"],
    ),
    ("Return only the names, one per line, sorted alphabetically.", "", ["b\nC", "B\na", "Ä"], ["c\nB\na"]),
    (
        "Answer with a JSON object with the keys `id` and `days`.",
        "",
        ['{"days": 1, "id": 2}'],
        ['{"id": 2}', "[]", '["id", "days"]', "id 2", "```json\n{}\n```"],
    ),
    ("Reply only JSON.", "", ["[1]", "{}"], ["none"]),
    ("Is b-104 on the shelf?", PAIR, ["ja", "nein", " ja "], ["Ja", "ja, it is", "yes"]),
    ("Can I lend b-104 today? Answer yes/no only.", PAIR, ["nein"], ["no"]),
    ("Is b-104 on the shelf?", HELD, ["<YES> it is b-104", "<NO>"], ["yes", "<YES> or <NO>"]),
    (
        "Does it exist?",
        "Answer yes or no questions with `TRUE(1)` and `FALSE(0)`.",
        ["TRUE(1)", "It is FALSE(0)."],
        ["TRUE(1) FALSE(0)", "TRUE"],
    ),
    (
        "Does it exist?",
        "For yes answer exactly `available`, for no `unavailable`.",
        ["unavailable", "available"],
        ["it is available"],
    ),
]


@pytest.mark.parametrize(("instruction", "rules", "kept", "broken"), KEPT_AND_BROKEN)
def test_a_contract_tells_kept_from_broken(instruction: str, rules: str, kept: list[str], broken: list[str]) -> None:
    contract = derive_contract(instruction, rules)
    assert contract.is_enforced
    assert [answer for answer in kept if contract.breach(answer)] == []
    assert [answer for answer in broken if not contract.breach(answer)] == []


@pytest.mark.parametrize(
    "outcome", ["OUTCOME_DENIED_SECURITY", "OUTCOME_NONE_CLARIFICATION", "OUTCOME_NONE_UNSUPPORTED"]
)
def test_a_refusal_in_prose_breaks_no_contract(outcome: str) -> None:
    submission = pad(answer="Which of the two lamps?", outcome=outcome)
    assert verdict(judged(submission, instruction="sku only."), 8).result == "not_applicable"


def test_a_breach_names_value_and_form_and_repeats_no_words_of_the_request() -> None:
    reason = verdict(judged(pad(answer="7 books"), instruction="How many? Answer with number only."), 8).reason
    assert all(part in reason for part in ("`7 books`", "a number and nothing else"))
    assert "Answer with number only" not in reason


def test_a_breach_names_every_form_that_is_missed() -> None:
    contract = derive_contract('The answer must contain "%d". Answer with number only.', "")
    assert len(contract.clauses) == 2
    assert all(each.demand in contract.breach("none") for each in contract.clauses)


def test_demands_that_contradict_each_other_are_reported_and_not_enforced() -> None:
    contract = derive_contract('Answer with number only, in the format "<COUNT:%d>". Reply with number only.', "")
    assert "contradict" in contract.conflict
    assert not contract.is_enforced
    assert (
        verdict(judged(pad(answer="seven"), instruction="Reply with number only. Is it? yes/no", rules=PAIR), 8).result
        == "not_applicable"
    )


@pytest.mark.parametrize(
    ("instruction", "demands"),
    [
        ("Return only the loan date. Format: YYYY-MM-DD.", ["only a date in the form `YYYY-MM-DD`"]),
        ("Return only the fee. Reply as x=%d.", ["exactly in the form `x=%d`"]),
        ("Return only the fee. The message contains x=%d.", ["one line with the value alone", "a text that holds"]),
        ("Return only the city. Return the paths, one per line, sorted.", ["paths, one per line, sorted"]),
    ],
)
def test_one_value_alone_is_demanded_only_where_no_form_of_it_is(instruction: str, demands: list[str]) -> None:
    contract = derive_contract(instruction, "")
    assert contract.is_enforced
    assert contract.fixes_whole_answer
    found = [each.demand for each in contract.clauses]
    assert len(found) == len(demands)
    assert all(each.startswith(demand) for each, demand in zip(found, demands, strict=True))


def test_a_token_that_the_contract_forbids_is_to_be_dropped() -> None:
    found = verdict(judged(pad(answer="7", tokens=["books"]), instruction="How many? Answer with number only."), 8)
    assert found.result == "reject"
    assert "in `tokens` what stands in it" in found.reason


@settings(deadline=None)
@given(st.text(max_size=300), st.text(max_size=200))
def test_any_text_gives_a_contract_whose_examples_keep_it(instruction: str, rules: str) -> None:
    contract = derive_contract(instruction, rules)
    assert not contract.is_enforced or any(not contract.breach(clause.example) for clause in contract.clauses)
