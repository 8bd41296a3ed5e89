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
    """Return the calls of a trial that read 200 large records and shipped each item.

    Each call of `/bin/ship` prints the id of its item a hundred times.
    """
    calls = CallsOfTrial()
    # A page with the values of `status` that a claim may state. The rules also look in pages for
    # commands that change a record, here one that no call has run.
    calls.read_text(
        "/docs/a.md",
        "The `status` is `open` or `closed`. Run `/bin/refund approve <item>` to close one.",
    )
    for number in range(RECORD_COUNT):
        item = item_id(number)
        calls.read_text(path_of_item(number), json.dumps(large_record(number)))
        calls.run("/bin/ship", item, stdout=f"{item} closed now\n" * 100)
    return calls


class TestClaimsAboutManyRecords:
    """An answer may claim something of each of many large records.

    The shop's rule set compares a claim such as "item-0012 is closed." with the record of this
    item. The trial has read 200 records with 403 fields each, and has cited them all.
    """

    @pytest.mark.parametrize("outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"])
    @pytest.mark.parametrize(
        ("claim", "claim_count"),
        [
            pytest.param("{item} is closed.", 200, id="a sentence about each record"),
            # Without a full stop, all claims are one sentence. Half of the items have no record.
            pytest.param(
                "{item} closed open", 400, id="one sentence about all records"
            ),
            pytest.param("item-0001 is open.", 10_000, id="one sentence 10,000 times"),
        ],
    )
    def test_claims_about_many_large_records_are_judged_with_bounded_work(
        self, claim: str, claim_count: int, outcome: str
    ) -> None:
        """So many claims meet 200 records with 403 fields each. The work is counted in executed lines
        of Python."""
        claims = [claim.format(item=item_id(number)) for number in range(claim_count)]
        calls = calls_with_large_records()
        reasons: dict[str, str] = {}
        for number in range(RECORD_COUNT):
            reasons[path_of_item(number)] = f"{item_id(number)} is the one"
        scratchpad = {
            "answer": " ".join(claims),
            "outcome": outcome,
            "refs_why": reasons,
        }
        rule_set = load_rule_set("ecom")

        def judge_claims() -> None:
            judge_scratchpad(
                scratchpad,
                calls,
                instruction="Approve the refund of item-0001.",
                rule_sets=(rule_set,),
            )

        # 200 claims, each compared with all 403 fields of 200 records, are 16,120,000 comparisons, and
        # 10,000 claims are 50 times as many. A comparison takes several lines.
        assert executed_lines(judge_claims) < 20_000_000
