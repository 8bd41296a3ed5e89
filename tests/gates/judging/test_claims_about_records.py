"""An answer with claims about 200 large records is compared with them in bounded work.

A claim is a sentence such as "item-0012 is closed.", which the shop's rule set compares with the
record `/proc/items/item-0012.json`. A hostile or careless script may submit thousands of them. Two
things must not be done for each claim: to look at all fields of all records, and to search all texts
that the trial has seen for the id of the item.
"""

from __future__ import annotations

import json

import pytest

from controlplane.gates.rule_set_loading import load_rule_set
from tests.gates.judged_scratchpads import judge_scratchpad
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import executed_lines

pytestmark = pytest.mark.second_tier


def lines_to_judge(answer: str, outcome: str) -> int:
    """Return how many lines of Python are executed to judge an answer about 200 large records.

    The trial has read the records, has shipped each item, and cites them all. A record has 403
    fields: `{"id": "item-0012", "status": "open", "customer_id": "cust-5", "f0": ..., "f399": ...}`.
    """
    calls = CallsOfTrial()
    # A page says which values of `status` there are, and has a command that no call has run.
    calls.read_text(
        "/docs/a.md",
        "The `status` is `open` or `closed`. Run `/bin/refund approve <item>` to close one.",
    )
    reasons: dict[str, str] = {}
    for number in range(200):
        item = f"item-{number:04d}"
        path = f"/proc/items/{item}.json"
        record = {
            "id": item,
            "status": "open" if number % 2 == 0 else "closed",
            "customer_id": f"cust-{number % 7}",
        }
        for field in range(400):
            record[f"f{field}"] = f"value-{number}-{field}-{'x' * 20}"
        calls.read_text(path, json.dumps(record))
        calls.run("/bin/ship", item, stdout=f"{item} closed now\n" * 100)
        reasons[path] = f"{item} is the one"
    scratchpad = {"answer": answer, "outcome": outcome, "refs_why": reasons}
    rule_set = load_rule_set("ecom")

    def judge() -> None:
        judge_scratchpad(
            scratchpad,
            calls,
            instruction="Approve the refund of item-0001.",
            rule_sets=(rule_set,),
        )

    return executed_lines(judge)


MOST_LINES = 20_000_000
"""To compare only 200 claims with all 403 fields of 200 records would be 16 million comparisons, of
several lines each."""

each_outcome = pytest.mark.parametrize(
    "outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"]
)


@each_outcome
def test_a_sentence_about_each_of_200_records(outcome: str) -> None:
    sentences = [f"item-{number:04d} is closed." for number in range(200)]

    assert lines_to_judge(" ".join(sentences), outcome) < MOST_LINES


@each_outcome
def test_one_sentence_about_200_records_and_200_unknown_items(outcome: str) -> None:
    """Without a full stop, all claims are one sentence."""
    claims = [f"item-{number:04d} closed open" for number in range(400)]

    assert lines_to_judge(" ".join(claims), outcome) < MOST_LINES


@each_outcome
def test_the_same_sentence_10000_times(outcome: str) -> None:
    answer = "item-0001 is open. " * 10_000

    assert lines_to_judge(answer, outcome) < MOST_LINES
