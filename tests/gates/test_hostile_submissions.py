"""Submissions are data, whatever they are made of: every one gets its verdicts, in bounded time."""

import json
import time
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.judging.gate_rules import rule_keys
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.submission import RULE_FAILED, Case, Submission
from tests.gates.sample_trials import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    valid_scratchpad,
)

pytestmark = pytest.mark.second_tier


class EqualToAll(str):
    """Equal to everything, in every set."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("OUTCOME_OK")

    def strip(self, *chars: object) -> str:
        return "OUTCOME_OK"

    def __str__(self) -> str:
        raise RuntimeError


class Meddler(ScriptedVerify):
    """A verify that edits the scratchpad while it runs."""

    def __init__(self, scratchpad: dict[str, object]) -> None:
        super().__init__()
        self.scratchpad = scratchpad

    def ask(self, blanked: bool) -> VerifyAnswer:
        self.scratchpad["outcome"] = "OUTCOME_DENIED_SECURITY"
        self.scratchpad["refs_why"]["/etc/passwd"] = "sneaked in later"
        return super().ask(blanked)


def test_a_verify_that_edits_the_scratchpad_changes_nothing_of_what_is_submitted() -> (
    None
):
    scratchpad = valid_scratchpad()

    judgement = judge_scratchpad(scratchpad, verify=Meddler(scratchpad))

    assert judgement.accepted
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)


def test_a_list_that_contains_itself_is_rejected() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    facts = {"a": {"value": cycle, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

    assert not judgement.accepted


def test_a_list_of_100000_levels_is_rejected() -> None:
    deep: object = "bottom"
    for _ in range(100_000):
        deep = [deep]
    facts = {"a": {"value": deep, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep))

    assert not judgement.accepted
    # Take it apart level by level: to free it at once could overflow the stack.
    while isinstance(deep, list) and deep:
        deep = deep.pop()


@pytest.mark.parametrize(
    "huge",
    [
        valid_scratchpad(answer="x" * 10_000_000),
        valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000),
        valid_scratchpad(
            refs_why={
                f"/docs/{number}.md": "a loan runs 21 days" for number in range(1_000)
            }
        ),
        valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
        valid_scratchpad(refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}),
        valid_scratchpad(tokens=["\x00" * 1_000_000]),
        valid_scratchpad(tokens=[["a"] * 100_000]),
        valid_scratchpad(
            tokens=[[f"q{number:0{number}}" for number in range(1, 101)]],
            answer="x" * 200_000,
        ),
        valid_scratchpad(
            tokens=["a" * length for length in range(2, 102)], answer="a" * 300_000
        ),
        valid_scratchpad(
            facts={
                str(number): {
                    "source": str(number + 1),
                    "confidence": "derived",
                    "value": 1,
                    "description": "d",
                }
                for number in range(2_000)
            }
        ),
        valid_scratchpad(
            changes=[
                {"path": f"/x/{number}", "action": "write"} for number in range(50_000)
            ]
        ),
        valid_scratchpad(facts={"\ud800" * 100_000: 1}, outcome="\ud800" * 100_000),
    ],
    ids=[
        "answer",
        "count_occurrences",
        "refs",
        "reason",
        "path",
        "token",
        "alternatives",
        "apart",
        "touching",
        "facts",
        "changes",
        "surrogates",
    ],
)
def test_a_huge_submission_is_judged_in_bounded_time_with_a_bounded_message(
    huge: dict[str, object],
) -> None:
    started = time.process_time()
    judgement = judge_scratchpad(huge)

    assert time.process_time() - started < 5
    assert len(judgement.message) < 40_000
    judgement.message.encode("utf-8")  # fails if a lone surrogate came into it


def large_record(number: int) -> dict[str, str]:
    """Return a record of 16 KB with hundreds of fields."""
    head = {
        "id": f"item-{number:04d}",
        "status": ("open", "closed")[number % 2],
        "customer_id": f"cust-{number % 7}",
    }
    return head | {
        f"f{field}": f"value-{number}-{field}-{'x' * 20}" for field in range(400)
    }


@pytest.mark.parametrize("outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"])
@pytest.mark.parametrize(
    "answer",
    [
        " ".join(f"item-{number:04d} is closed." for number in range(200)),
        " ".join(f"item-{number:04d} closed open" for number in range(400)),
        "item-0001 is open. " * 10_000,
    ],
    ids=["each", "in one sentence", "one over and over"],
)
def test_claims_about_many_large_records_are_judged_in_bounded_time(
    answer: str, outcome: str
) -> None:
    calls = CallsOfTrial()
    texts = {
        f"/proc/items/item-{number:04d}.json": json.dumps(large_record(number))
        for number in range(200)
    }
    texts["/docs/a.md"] = (
        "The `status` is `open` or `closed`. Run `/bin/refund approve <item>` to close one."
    )
    for path, text in texts.items():
        calls.evidence_log.record(
            "read",
            {"path": path},
            {"path": path, "content": text, "truncated": False},
            None,
        )
    for number in range(200):
        calls.run(
            "/bin/ship",
            f"item-{number:04d}",
            stdout=f"item-{number:04d} closed now\n" * 100,
        )
    reasons = {
        f"/proc/items/item-{number:04d}.json": f"item-{number:04d} is the one"
        for number in range(200)
    }
    submission = Submission.from_scratchpad(
        {"answer": answer, "outcome": outcome, "refs_why": reasons}, ScriptedVerify()
    )
    started = time.process_time()
    judge(
        submission,
        calls.evidence,
        Case("Approve the refund of item-0001."),
        rule_sets=(load_rule_set("ecom"),),
    )

    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "piece",
    [
        "answer only ",
        "cite ",
        "x",
        "please ",
        "\n",
        " ",
        '"%d" ',
        "and then create ",
        "in a, ",
        "`a | b` ",
        "[[",
        "do ",
        "yes or no ",
        "is it, ",
        "one per line ",
        "answer only JSON ",
        "BEGIN ",
        "read /a/",
        "a-",
        "role ",
        "--- ",
        "if not ",
    ],
)
def test_instructions_and_rules_of_any_making_are_read_in_bounded_time(
    piece: str,
) -> None:
    text = piece * (20_000 // len(piece))
    submission = Submission.from_scratchpad(
        valid_scratchpad(answer=text, tokens=[piece.strip() or "x"]), ScriptedVerify()
    )
    started = time.process_time()
    judge(
        submission,
        Evidence(has_trace=True),
        Case(text, text),
        rule_sets=(load_rule_set("ecom"),),
    )

    assert time.process_time() - started < 2


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(5_000).map(lambda digits: 10**digits)
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=20)
    | st.sampled_from(
        [b"bytes", {1, 2}, object(), EqualToAll("x"), print, "\ud800", "/docs/Loans.md"]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=8)
            | st.sampled_from(["value", "source", "confidence", "path", "action"]),
            inner,
            max_size=4,
        )
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)
KEYS = ("answer", "outcome", "refs_why", "facts", "tokens", "changes", "stray")


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, ODD)),
    st.text(max_size=60),
    st.booleans(),
)
def test_any_scratchpad_gets_verdicts_that_can_be_written_down(
    scratchpad: dict[str, object], instruction: str, with_trace: bool
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    evidence = calls.evidence if with_trace else Evidence()
    submission = Submission.from_scratchpad(scratchpad, ScriptedVerify())
    found = judge(submission, evidence, Case(instruction))

    assert found == judge(submission, evidence, Case(instruction))
    assert {verdict.key for verdict in found.verdicts} == rule_keys() - {"review"}
    assert not [
        verdict for verdict in found.verdicts if verdict.reason.startswith(RULE_FAILED)
    ]
    for text in (found.message, found.answer, found.outcome, *found.refs):
        text.encode("utf-8")
    json.dumps([asdict(verdict) for verdict in found.verdicts]).encode("utf-8")
    assert found.accepted is (found.message == "")
