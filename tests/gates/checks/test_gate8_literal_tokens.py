"""Gate 8: declared tokens. The contract has its own tests."""

import pytest

from gates.checks.gate8_literal_tokens import count_occurrences
from tests.gates.sample_trials import LEFT_OUT, judged, pad, verdict


def fault(answer: str, tokens: object) -> str:
    found = verdict(judged(pad(answer=answer, tokens=tokens)), 8)
    return found.reason if found.result == "reject" else ""


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ("b-104", ["b-104"]),
        ("b-104", "b-104"),
        ("the book (b-104).", ["b-104", "book"]),
        ("ja", [["ja", "nein"]]),
        ("<YES>", [["<YES>", "<NO>"]]),
        ("unavailable", [["available", "unavailable"]]),
        ("not available", [["available", "not available"]]),
        ("TRUE(1)", [["TRUE(1)", "FALSE(0)"]]),
        ("21 Tage", ["21"]),
        ("küste", []),
        ("ja ja", [["ja", "nein"]]),
    ],
)
def test_answers_that_hold_what_they_declare_pass(answer: str, tokens: object) -> None:
    assert fault(answer, tokens) == ""


@pytest.mark.parametrize(
    ("answer", "tokens", "named"),
    [
        ("b-1045", ["b-104"], "`b-104` is not in the answer"),
        ("xb-104", ["b-104"], "`b-104` is not in the answer"),
        ("unavailable", ["available"], "`available` is not in the answer"),
        ("naja", ["ja"], "`ja` is not in the answer"),
        ("jaé", ["ja"], "`ja` is not in the answer"),
        ("ja", ["ja", "nein"], "list inside the list"),
        ("ja oder nein", [["ja", "nein"]], "holds 2 of the alternatives"),
        ("vielleicht", [["ja", "nein"]], "None of the alternatives"),
        ("available or unavailable", [["available", "unavailable"]], "holds 2"),
        ("x", {"a": 1}, "a mapping of 1"),
        ("x", [3], "the number `3`"),
        ("x", [[]], "a list of 0"),
        ("x", [["a", 3]], "a list of 2"),
        ("x", [""], "empty string"),
        ("x", [["", "x"]], "a list of 2"),
        ("x", ["x"] * 101, "declares 101 strings"),
        ("x", [["x"] * 51] * 2, "declares 102 strings"),
        ("x", ["x" * 20_001], "a string of 20001 characters"),
        ("x", [["x", "y" * 20_001]], "a string of 20001 characters"),
    ],
)
def test_answers_without_what_they_declare_are_rejected(answer: str, tokens: object, named: str) -> None:
    assert named in fault(answer, tokens)


@pytest.mark.parametrize(
    ("token", "text", "longer", "count"),
    [
        ("a", "a a", (), 2),
        ("aa", "aaa", (), 0),
        ("-", "a-b", (), 0),
        ("a b", "x a b", (), 1),
        ("b", "a b", ("a b",), 0),
        ("a", "a b", ("a b",), 0),
        ("b", "a b b", ("a b",), 1),
    ],
)
def test_a_token_counts_as_a_word_of_its_own(token: str, text: str, longer: tuple[str, ...], count: int) -> None:
    assert count_occurrences(token, text, longer) == count


def test_one_demand_of_the_whole_answer_is_enough_to_fix_it() -> None:
    asked = 'The answer must contain "%d". Answer with number only.'
    assert "form is fixed as a whole" in verdict(judged(pad(answer="7", tokens=["books"]), instruction=asked), 8).reason


WHOLE = "A yes/no answer is exactly `ja` or `nein`."
HELD = "A yes/no answer must include `ja` or `nein`."


@pytest.mark.parametrize(
    ("rules", "advice"),
    [(WHOLE, "form is fixed as a whole"), (HELD, "put it there exactly"), ("", "put it there exactly")],
)
def test_the_advice_for_a_missing_token_depends_on_what_the_contract_leaves_open(rules: str, advice: str) -> None:
    submission = pad(answer="ja", tokens=["b-104"])
    assert advice in verdict(judged(submission, instruction="Is it here?", rules=rules), 8).reason


@pytest.mark.parametrize(
    ("answer", "rules", "advice"),
    [
        ("ja", WHOLE, "form is fixed as a whole"),
        ("ja", HELD, "use exactly one of them, as a word of its own"),
        ("b-104 b-105", WHOLE, "holds 2 of the alternatives"),
    ],
)
def test_the_advice_for_alternatives_depends_on_it_too(answer: str, rules: str, advice: str) -> None:
    submission = pad(answer=answer, tokens=[["b-104", "b-105"]])
    assert advice in verdict(judged(submission, instruction="Is it here?", rules=rules), 8).reason


def test_contracts_in_conflict_leave_everything_open() -> None:
    submission = pad(answer="ja", tokens=["b-104"])
    asked = {"instruction": "Answer with number only. Is it here?", "rules": WHOLE}
    assert "put it there exactly" in verdict(judged(submission, **asked), 8).reason


@pytest.mark.parametrize(
    ("tokens", "rules", "result"),
    [(LEFT_OUT, "", "not_applicable"), (LEFT_OUT, WHOLE, "pass"), (["ja"], "", "pass"), (["ja"], WHOLE, "pass")],
)
def test_it_applies_where_a_token_is_declared_or_a_contract_is_derived(tokens: object, rules: str, result: str) -> None:
    submission = pad(answer="ja", tokens=tokens)
    assert verdict(judged(submission, instruction="Is it here?", rules=rules), 8).result == result


def test_a_hundred_tokens_are_enough_for_anyone() -> None:
    assert fault("x", ["x"] * 100) == ""
    assert fault("x" * 20_000, ["x" * 20_000]) == ""


def test_demands_that_contradict_each_other_bind_no_answer_beside_its_tokens() -> None:
    asked = "How many? Answer with the number only. Reply as YYYY-MM-DD only."
    assert verdict(judged(pad(answer="It is 7.", tokens=["7"]), instruction=asked), 8).result == "pass"
    refused = pad(answer="It is 7.", outcome="OUTCOME_NONE_UNSUPPORTED", tokens=["7"])
    assert verdict(judged(refused, instruction="How many? Answer with the number only."), 8).result == "pass"
