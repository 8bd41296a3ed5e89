"""Gates 6 and 8: what can be sent, changes that agree with the trace, declared tokens, placeholders, forms."""

import time

import pytest

from tests.gates.sample_trials import Calls, fault, judged, pad, verdict

# Gate 6 --------------------------------------------------------------------------------------------------------------


def changed() -> Calls:
    calls = Calls()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (21, "the number `21`"),
        (None, "missing"),
        (["21"], "a list of 1"),
        (object(), "missing"),
        ("", "is empty"),
        (" \n", "is empty"),
        ("a\ud800b", "lone surrogate at character 1"),
        pytest.param("x" * 10_000_000, "10000000 characters", id="long"),
    ],
)
def test_an_answer_that_is_no_sendable_text_is_rejected(answer: object, named: str) -> None:
    assert named in fault(judged(pad(answer=answer)), 6)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ("none", "list at most 1000 paths"),
        ({"/desk/order.json": "write"}, "list at most 1000 paths"),
        ([{"path": 3, "action": "write"}], "names nothing"),
        ([""], "names nothing"),
        ([], "leaves out write of `/desk/order.json`, execute of `/bin/ship`"),
        (["/desk/order.json"], "leaves out execute of `/bin/ship`"),
        (
            [{"path": "/desk/order.json", "action": "delete"}, "ship"],
            "names `/desk/order.json`: the trace shows no such",
        ),
        (["/desk/order.json", "/bin/ship", "/desk/other.json"], "names `/desk/other.json`: the trace shows no such"),
        (["/desk/order.json", "/sbin/ship"], "names `/sbin/ship`"),
        (["order.json", "mail.send", "ship"], "names `mail.send`"),
        (["order.json", "ship", "execute"], "names `execute`"),
        (["order.json", "ship", "json"], "names `json`"),
    ],
)
def test_changes_must_tell_exactly_what_the_trace_shows(changes: object, named: str) -> None:
    assert named in fault(judged(pad(changes=changes), changed()), 6)


@pytest.mark.parametrize(("exit_code", "may_be_told"), [(0, True), (1, False)])
def test_a_run_of_a_tool_of_unknown_kind_may_be_told_or_left_out(exit_code: int, may_be_told: bool) -> None:
    calls = Calls()
    calls.run("/bin/odd", "b-104", exit_code=exit_code)
    for told in (["/bin/odd"], ["odd"], [{"path": "/bin/odd", "action": "execute"}]):
        assert bool(fault(judged(pad(changes=told), calls), 6)) is not may_be_told
    assert not fault(judged(pad(changes=[]), calls), 6)


def test_many_changes_are_compared_in_time() -> None:
    calls = Calls()
    for number in range(3_000):
        calls.write(f"/desk/{number}.json")
    began = time.perf_counter()
    found = fault(judged(pad(changes=[f"{number}.json" for number in range(1_000)]), calls), 6)
    assert "and 1996 more" in found
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize(
    ("outcome", "answer", "instruction", "named"),
    [
        ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED", "Which book?", "names an outcome class"),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK", "Which book?", "names an outcome class"),
        ("OUTCOME_DENIED_SECURITY", "OUTCOME_DENIED_SECURITY", "Which book?", ""),
        ("OUTCOME_OK", "It is OUTCOME_OK.", "Say whether OUTCOME_OK is a class.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "b-104", "Which book?", "asks nothing"),
        ("OUTCOME_NONE_CLARIFICATION", "b-104 or b-105?", "Which book?", ""),
        ("OUTCOME_NONE_CLARIFICATION", "Which?", "Lend me the book.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "您要借b-104还是b-105？", "Lend me the book.", ""),
        ("OUTCOME_NONE_CLARIFICATION", "请说明是哪一本书：b-104，b-105。", "Lend me the book.", ""),
        ("OUTCOME_NONE_UNSUPPORTED", "b-104", "Which book?", ""),
    ],
)
def test_the_answers_own_words_fit_the_outcome(outcome: str, answer: str, instruction: str, named: str) -> None:
    found = fault(judged(pad(outcome=outcome, answer=answer), instruction=instruction), "6/wording")
    assert named in found
    assert bool(found) is bool(named)


def test_giving_up_is_objected_to_once_and_again_while_no_call_has_failed() -> None:
    up = pad(outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond")
    broken, wrong = Calls(), Calls()
    broken.fail("read", "/desk/order.json")
    wrong.fail("read", "/nowhere.md", "not_found")
    key = "6/internal-error"
    assert "for failed tooling alone" in fault(judged(up, broken), key)
    assert not fault(judged(up, broken, internal_errors_before=1), key)
    assert "No call of the environment has failed" in fault(judged(up, wrong, internal_errors_before=3), key)
    assert verdict(judged(pad(), broken), key).result == "not_applicable"


# Gate 8 --------------------------------------------------------------------------------------------------------------


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
    assert fault(judged(pad(answer=answer, tokens=tokens)), 8) == ""


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
        ("vielleicht", [["ja", "nein"]], "holds none of the alternatives"),
        ("available or unavailable", [["available", "unavailable"]], "holds 2"),
        ("x", {"a": 1}, "a mapping of 1"),
        ("x", [3], "the number `3`"),
        ("x", [[]], "a list of 0"),
        ("x", [["a", 3]], "a list of 2"),
        ("x", [""], "holds ``"),
        ("x", [["", "x"]], "a list of 2"),
        ("x", ["x"] * 101, "declares 101 strings"),
        ("x", [["x"] * 51] * 2, "declares 102 strings"),
    ],
)
def test_answers_without_what_they_declare_are_rejected(answer: str, tokens: object, named: str) -> None:
    assert named in fault(judged(pad(answer=answer, tokens=tokens)), 8)


@pytest.mark.parametrize(
    ("instruction", "answer", "is_missing"),
    [
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>", False),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them.", False),
        ("How many? Answer as <COUNT:%d>.", "3", True),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>", True),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]", False),
        ("Wie viele? Antworte als [ANZAHL: %d].", "3", True),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>", False),
        ("Answer <A:%d> or <B:%s>.", "<B:none>", False),
        ('They said "answer with <COUNT:%d> and so on". How many?', "3", False),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3", False),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3", False),
        ("How many? Answer as %d.", "three", False),
        ("How many? Answer as <COUNT:n>.", "3", False),
    ],
)
def test_a_placeholder_in_brackets_is_filled_in_by_an_ok_alone(instruction: str, answer: str, is_missing: bool) -> None:
    found = judged(pad(answer=answer), instruction=instruction)
    assert ("fill the placeholder in" in fault(found, 8)) is is_missing
    refused = judged(pad(answer=answer, outcome="OUTCOME_NONE_UNSUPPORTED"), instruction=instruction)
    assert verdict(refused, 8).result == "not_applicable"


def test_many_places_of_alternatives_within_each_other_take_bounded_time() -> None:
    words = ["+" * size for size in range(1, 41)]
    answer = " ".join(word for word in words for _ in range(1_000))
    began = time.process_time()
    verdict = judged(pad(answer=answer, tokens=[words]))
    assert time.process_time() - began < 2
    assert "holds 40 of the alternatives" in fault(verdict, "8")
