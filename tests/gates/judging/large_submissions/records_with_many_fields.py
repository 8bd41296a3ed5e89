"""A trial that has read 200 large records, and the work to judge its answer."""

from __future__ import annotations

import json

from controlplane.gates.worker_judging import load_rule_set
from tests.gates.judged_scratchpads import judge_scratchpad
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import executed_lines


def lines_to_judge(answer: str, outcome: str) -> int:
    """Return how many lines of Python are executed to judge an answer about 200 large records.

    `lines_to_judge("item-0001 is open.", "OUTCOME_OK")` -> about a million.

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
