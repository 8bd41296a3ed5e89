"""Whatever a script submits, the gates judge it with bounded work, without an exception.

A script is written by a model and may submit anything: lists that contain themselves, megabytes
of text, objects whose methods lie. The gates judge a plain copy of the submission.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, Judgement
from tests.gates.sample_trials import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    valid_scratchpad,
)
from tests.support.executed_work import assert_linear, executed_lines

pytestmark = pytest.mark.second_tier


class EditingVerify(ScriptedVerify):
    """A `verify` that edits the submitted scratchpad while gate 7 calls it, and then says yes."""

    def __init__(self, scratchpad: dict[str, object]) -> None:
        super().__init__()
        self.scratchpad = scratchpad

    def ask(self, blanked: bool) -> VerifyAnswer:
        """Sneak another outcome and a citation in."""
        self.scratchpad["outcome"] = "OUTCOME_DENIED_SECURITY"
        self.scratchpad["refs_why"]["/etc/passwd"] = "sneaked in later"
        return super().ask(blanked)


def test_a_verify_that_edits_the_scratchpad_does_not_change_the_submission() -> None:
    """The scratchpad was copied before `verify` was called, so that the edits come too late."""
    scratchpad = valid_scratchpad()

    judgement = judge_scratchpad(scratchpad, verify=EditingVerify(scratchpad))

    assert judgement.accepted
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)


def test_a_list_that_contains_itself_is_rejected() -> None:
    """A plain copy of it cannot be made, so it counts as missing."""
    cycle: list[object] = []
    cycle.append(cycle)
    facts = {"a": {"value": cycle, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

    assert not judgement.accepted


def test_a_list_of_100000_levels_is_rejected() -> None:
    """The answer and a fact are a list in a list, and so on: `[[[…["bottom"]…]]]`. A function that
    called itself for each level would exceed Python's limit of recursion."""
    deep_list: list[object] = ["bottom"]
    for _ in range(100_000):
        deep_list = [deep_list]
    facts = {"a": {"value": deep_list, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep_list))

    assert not judgement.accepted
    take_apart(deep_list)


def take_apart(deep_list: list[object]) -> None:
    """Free a list level by level. Python could overflow its stack if it freed all levels at once."""
    inner: object = deep_list
    while isinstance(inner, list):
        inner = inner.pop()


# Huge submissions
# --------------------------------------------------------------------------------------------------------------


def assert_judged_with_bounded_work(scratchpad: dict[str, object]) -> None:
    """Assert that a submission is judged with bounded work, and that the message is short.

    Gates that compared each part of a huge submission with all others would execute billions of
    lines of Python instead of at most 20 million.
    """
    judgement = judge_scratchpad(scratchpad)

    assert executed_lines(lambda: judge_scratchpad(scratchpad)) < 20_000_000
    assert len(judgement.message) < 40_000
    judgement.message.encode("utf-8")  # raises if it has a lone surrogate


@pytest.mark.parametrize(
    "scratchpad",
    [
        pytest.param(valid_scratchpad(answer="x" * 10_000_000), id="answer"),
        pytest.param(
            valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000),
            id="many tokens that occur often",
        ),
        pytest.param(
            valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
            id="reason",
        ),
        pytest.param(
            valid_scratchpad(
                refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}
            ),
            id="path",
        ),
        pytest.param(valid_scratchpad(tokens=["\x00" * 1_000_000]), id="token"),
        pytest.param(valid_scratchpad(tokens=[["a"] * 100_000]), id="alternatives"),
    ],
)
def test_a_huge_text_or_list_is_judged_with_bounded_work(
    scratchpad: dict[str, object],
) -> None:
    """One part of the scratchpad has a size that no honest script needs."""
    assert_judged_with_bounded_work(scratchpad)


def test_lone_surrogates_do_not_get_into_the_message() -> None:
    """A lone surrogate is half of a UTF-16 pair. A Python string may have it, but UTF-8 cannot
    encode it, and the message is stored as UTF-8."""
    surrogates = "\ud800" * 100_000

    assert_judged_with_bounded_work(
        valid_scratchpad(facts={surrogates: 1}, outcome=surrogates)
    )


def test_a_chain_of_2000_derived_facts_is_judged_with_bounded_work() -> None:
    """Fact 0 is derived from fact 1, fact 1 from fact 2, and so on. The gate follows the chain."""
    facts: dict[str, object] = {}
    for number in range(2_000):
        facts[str(number)] = {
            "value": 1,
            "description": "d",
            "source": str(number + 1),
            "confidence": "derived",
        }

    assert_judged_with_bounded_work(valid_scratchpad(facts=facts))


def test_1000_citations_are_judged_with_bounded_work() -> None:
    reasons: dict[str, str] = {}
    for number in range(1_000):
        reasons[f"/docs/{number}.md"] = "a loan runs 21 days"

    assert_judged_with_bounded_work(valid_scratchpad(refs_why=reasons))


def test_50000_declared_changes_are_judged_with_bounded_work() -> None:
    changes: list[dict[str, str]] = []
    for number in range(50_000):
        changes.append({"path": f"/x/{number}", "action": "write"})

    assert_judged_with_bounded_work(valid_scratchpad(changes=changes))


def test_100_alternatives_that_do_not_occur_are_judged_with_bounded_work() -> None:
    """The answer must have exactly one of `q1`, `q02`, `q003` and so on, each longer by one
    digit. It has none of them."""
    alternatives: list[str] = []
    for length in range(1, 101):
        digits = str(length).zfill(length)
        alternatives.append(f"q{digits}")

    assert_judged_with_bounded_work(
        valid_scratchpad(tokens=[alternatives], answer="x" * 200_000)
    )


def test_100_tokens_that_contain_each_other_are_judged_with_bounded_work() -> None:
    """The tokens `aa`, `aaa`, `aaaa` and so on occur in an answer of many `a` at each place."""
    tokens = ["a" * length for length in range(2, 102)]

    assert_judged_with_bounded_work(
        valid_scratchpad(tokens=tokens, answer="a" * 300_000)
    )


# Answers about many large records
# --------------------------------------------------------------------------------------------------------------

RECORD_COUNT = 200


def item_id(number: int) -> str:
    """Return the id of an item, such as `item-0012`."""
    return f"item-{number:04d}"


def path_of_item(number: int) -> str:
    """Return the path of an item's record, such as `/proc/items/item-0012.json`."""
    return f"/proc/items/{item_id(number)}.json"


def large_record(number: int) -> dict[str, str]:
    """Return a record of 16 KB: `id`, `status` and `customer_id`, and 400 fields `f0`, `f1`, …"""
    record = {
        "id": item_id(number),
        "status": "open" if number % 2 == 0 else "closed",
        "customer_id": f"cust-{number % 7}",
    }
    for field in range(400):
        record[f"f{field}"] = f"value-{number}-{field}-{'x' * 20}"
    return record


def calls_with_large_records() -> CallsOfTrial:
    """Return the calls of a trial that read 200 large records and shipped each item."""
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/a.md",
        "The `status` is `open` or `closed`. Run `/bin/refund approve <item>` to close one.",
    )
    for number in range(RECORD_COUNT):
        item = item_id(number)
        calls.read_text(path_of_item(number), json.dumps(large_record(number)))
        calls.run("/bin/ship", item, stdout=f"{item} closed now\n" * 100)
    return calls


@pytest.mark.parametrize("outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"])
@pytest.mark.parametrize(
    ("claim", "claim_count"),
    [
        pytest.param("{item} is closed.", 200, id="a sentence about each record"),
        # Without a full stop, all claims are one sentence. Half of the items have no record.
        pytest.param("{item} closed open", 400, id="one sentence about all records"),
        pytest.param("item-0001 is open.", 10_000, id="one sentence 10,000 times"),
    ],
)
def test_claims_about_many_large_records_are_judged_with_bounded_work(
    claim: str, claim_count: int, outcome: str
) -> None:
    """The shop's rule set compares what an answer says of a record, such as "item-0012 is closed",
    with the record. Here so many claims meet 200 records with 403 fields each."""
    claims = [claim.format(item=item_id(number)) for number in range(claim_count)]
    calls = calls_with_large_records()
    reasons: dict[str, str] = {}
    for number in range(RECORD_COUNT):
        reasons[path_of_item(number)] = f"{item_id(number)} is the one"
    scratchpad = {"answer": " ".join(claims), "outcome": outcome, "refs_why": reasons}
    rule_set = load_rule_set("ecom")

    def judge_claims() -> None:
        judge_scratchpad(
            scratchpad,
            calls,
            instruction="Approve the refund of item-0001.",
            rule_sets=(rule_set,),
        )

    # To compare each claim with all fields of all records would execute far more lines of Python.
    assert executed_lines(judge_claims) < 20_000_000


# Long texts of one repeated piece
# --------------------------------------------------------------------------------------------------------------


def submission_of(scratchpad: dict[str, object]) -> Submission:
    """Submit a scratchpad whose `verify` confirms the answer."""
    return Submission.from_scratchpad(scratchpad, ScriptedVerify().probe)


@pytest.mark.parametrize(
    "piece",
    [
        # The beginnings of phrases that rules look for in instructions and answers
        "answer only ",
        "answer only JSON ",
        "cite ",
        "please ",
        "and then create ",
        "in a, ",
        "do ",
        "yes or no ",
        "is it, ",
        "one per line ",
        "read /a/",
        "role ",
        "if not ",
        # Marks of formats, quotations, blocks and ids
        '"%d" ',
        "`a | b` ",
        "[[",
        "BEGIN ",
        "--- ",
        "a-",
        "x",
        "\n",
        " ",
    ],
)
def test_judging_a_piece_that_is_repeated_many_times_is_linear_work(
    piece: str,
) -> None:
    """Instruction, rules and answer consist of the same piece, 200 and 400 times over. A pattern
    that looks for the rest of a phrase behind every piece would do quadratic work."""
    token = piece.strip() or "x"  # A token may not be blank.
    rule_set = load_rule_set("ecom")

    def judge_repeated(piece_count: int) -> None:
        text = piece * piece_count
        scratchpad = valid_scratchpad(answer=text, tokens=[token])
        case = Case(instruction=text, rules=text)
        no_calls = Evidence(has_trace=True)
        judge(submission_of(scratchpad), no_calls, case, rule_sets=(rule_set,))

    assert_linear(judge_repeated, 200)


# Random scratchpads
# --------------------------------------------------------------------------------------------------------------


class LyingText(str):
    """A text whose methods pretend that it is a valid outcome or any known path.

    A gate that asked the object itself would be fooled: `text in OUTCOMES` by `__eq__`, a search
    in a set by `__hash__` and `__eq__`, a comparison of stripped texts by `strip`. `__str__`
    raises, so that a gate that formats the object into a message would fail.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("OUTCOME_OK")

    def strip(self, *chars: object) -> str:
        return "OUTCOME_OK"

    def __str__(self) -> str:
        raise RuntimeError


def power_of_ten(digits: int) -> int:
    """Return 1000 for 3. Python refuses to print a number of 5,000 digits, as an error of
    Hypothesis would, so the strategy below has the count of digits instead."""
    return 10**digits


SINGLE_VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(5_000).map(power_of_ten)
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=20)
    | st.sampled_from(
        [
            b"bytes",
            {1, 2},
            object(),
            LyingText("x"),
            print,
            "\ud800",  # half of a surrogate pair, which UTF-8 cannot encode
            "/docs/Loans.md",
        ]
    )
)
"""Values that a script may submit, and stranger ones; lists and mappings of them follow below."""
MAPPING_KEYS = st.text(max_size=8) | st.sampled_from(
    ["value", "source", "confidence", "path", "action"]
)


def containers_of(values: st.SearchStrategy) -> st.SearchStrategy:
    """Return a strategy for lists, mappings and pairs of values: `[1]`, `{"path": 1}`, `(1, 2)`."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(MAPPING_KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


ANY_VALUE = st.recursive(SINGLE_VALUES, containers_of, max_leaves=12)
"""Values of any type, also in lists and mappings in each other."""
ANY_SCRATCHPAD = st.fixed_dictionaries(
    {},
    optional={
        "answer": ANY_VALUE,
        "outcome": ANY_VALUE,
        "refs_why": ANY_VALUE,
        "facts": ANY_VALUE,
        "tokens": ANY_VALUE,
        "changes": ANY_VALUE,
        "stray": ANY_VALUE,
    },
)


def evidence_of_reading(with_trace: bool) -> Evidence:
    """Return the evidence of a trial that read the loan rules.

    Without a trace, it is unknown what calls the trial has made.
    """
    if not with_trace:
        return Evidence()
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    return calls.evidence


def judge_any(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> Judgement:
    """Judge a scratchpad that a script submits after it has read the loan rules."""
    evidence = evidence_of_reading(with_trace)
    return judge(submission_of(scratchpad), evidence, Case(instruction))


any_submission = given(
    scratchpad=ANY_SCRATCHPAD,
    instruction=st.text(max_size=60),
    with_trace=st.booleans(),
)


@any_submission
def test_every_rule_gives_a_verdict_of_any_scratchpad_and_none_fails(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> None:
    judgement = judge_any(scratchpad, instruction, with_trace)

    # The rule `review`, which asks a second model, runs elsewhere.
    verdict_keys = {verdict.key for verdict in judgement.verdicts}
    assert verdict_keys == rule_keys() - {"review"}
    for verdict in judgement.verdicts:
        assert not verdict.reason.startswith(RULE_FAILED)


@any_submission
def test_any_submission_is_judged_twice_in_the_same_way(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> None:
    """To judge a submission changes neither it nor the evidence."""
    submission = submission_of(scratchpad)
    evidence = evidence_of_reading(with_trace)

    judgement = judge(submission, evidence, Case(instruction))
    second_judgement = judge(submission, evidence, Case(instruction))

    assert judgement == second_judgement


@any_submission
def test_a_scratchpad_is_accepted_exactly_if_the_model_gets_no_message(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> None:
    """The message tells the model what to correct."""
    judgement = judge_any(scratchpad, instruction, with_trace)

    assert judgement.accepted is (judgement.message == "")


@any_submission
def test_the_judgement_of_any_scratchpad_can_be_stored_in_the_journal(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> None:
    """The journal stores verdicts as JSON, and texts as UTF-8, which has no lone surrogates."""
    judgement = judge_any(scratchpad, instruction, with_trace)

    for verdict in judgement.verdicts:
        json.dumps(asdict(verdict)).encode("utf-8")
    judgement.message.encode("utf-8")
    judgement.answer.encode("utf-8")
    judgement.outcome.encode("utf-8")
    for path in judgement.refs:
        path.encode("utf-8")
