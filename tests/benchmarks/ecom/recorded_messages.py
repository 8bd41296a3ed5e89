"""Recorded right messages, put into worlds of ours: their ids, states, SKUs, branches and values replaced by ours.

What the public grader took must not fail here for its words.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import WorldSettings
from tests.benchmarks.ecom.recorded_agreement import BENCHMARK, PERIOD, RECORDED
from tests.benchmarks.ecom.reference_solutions import ReferenceClient, pose_variant, reference_of

DENIED, OK, UNSUPPORTED = "OUTCOME_DENIED_SECURITY", "OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"
OURS: Final[Mapping[tuple[int, str], str]] = {
    (9, OK): "basket-checkout#1",
    (10, DENIED): "foreign-basket#2",
    (10, UNSUPPORTED): "basket-checkout#2",
    (12, DENIED): "foreign-basket#1",
    (13, DENIED): "foreign-basket#2",
    (17, OK): "refund-closure#1",
    (17, UNSUPPORTED): "refund-closure#2",
    (18, OK): "refund-approval#1",
    (18, UNSUPPORTED): "refund-approval#2",
    (19, DENIED): "staff-contact#1",
    (40, UNSUPPORTED): "external-system#1",
    (79, OK): "basket-addition#1",
    (82, DENIED): "staff-contact#2",
    (83, OK): "verification-restart#1",
    (84, DENIED): "verification-restart#4",
    (85, UNSUPPORTED): "verification-restart#3",
    (86, UNSUPPORTED): "verification-restart#3",
    (87, UNSUPPORTED): "verification-restart#2",
    (88, DENIED): "guest-basket-status#1",
    (92, DENIED): "staff-contact#1",
    (95, OK): "discount-grant#2",
    (96, OK): "discount-grant#2",
    (97, UNSUPPORTED): "discount-limit#1",
    (98, DENIED): "discount-authority#1",
    (99, DENIED): "discount-authority#2",
    (100, UNSUPPORTED): "discount-authority#3",
}
"""Our variant for a public task and outcome whose message is in free words."""
STATES: Final = re.compile(r"\b(requested|approved|rejected|closed)\b")
STORES: Final = re.compile(
    r"PowerTools (?:Vienna|Graz|Linz|Salzburg|Innsbruck) \w+|store-(?:vie|graz|linz|salzburg|innsbruck)-\w+"
)


def right_messages(path: Path = RECORDED) -> Iterator[tuple[str, str, str]]:
    """Yield our variant, the request and the message of recorded right answers, each message once."""
    seen = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        number = int(row["task_id"][1:])
        place = (
            number if number > 80 or (number, row["outcome"]) in OURS else (number - 1) % PERIOD + 1,
            row["outcome"],
        )
        is_right = row["verdict"] == "grader" and row["benchmark"] == BENCHMARK and row["score"] == 1
        is_free = not any(
            sign in row["task_text"] for sign in ("<", "[[", "Quoted", "BEGIN", "---", "# ", "上", "模型")
        )
        if is_right and is_free and place in OURS and (place, row["message"]) not in seen:
            seen.add((place, row["message"]))
            yield OURS[place], row["task_text"], row["message"]


def put_into(task: Task, asked: str, message: str) -> str:
    """Return a recorded message with what it names replaced by what the task has there."""
    world, truth = task.world, task.truth
    inputs = truth.inputs
    owner = next((basket.customer_id for basket in world.baskets.values() if basket.id in truth.instruction), "")
    owner = owner or next((one.customer_id for one in world.payments.values() if one.id in truth.instruction), "")
    payment = next(
        (one for one in world.payments.values() if world.path(one) in (*truth.records, inputs.get("payment"))), None
    )
    basket = next(
        (one for one in world.baskets.values() if world.path(one) in (*truth.records, inputs.get("basket"))), None
    )
    basket = basket or (world.baskets[payment.basket_id] if payment else None)
    own = next((one for one in world.baskets.values() if one.customer_id == world.user), basket)
    named = set(re.findall(r"cust-\d+", asked))

    def customer(match: re.Match[str]) -> str:
        before = message[: match.start()].lower()[-60:]
        is_asker = match[0] not in named and re.search(r"identity|/bin/id|customer \(|customer $|current", before)
        return (
            world.user
            if is_asker and "owner" not in before[-16:] and "belong" not in before[-30:]
            else owner or match[0]
        )

    text = re.sub(r"cust-\d+", customer, message)
    text = re.sub(r"emp-\d+", world.user if world.user.startswith("emp") else "", text)
    text = re.sub(r"(?i)basket-\d+", basket.id if basket else "", text)
    text = re.sub(r"pay-\d+", payment.id if payment else "", text)
    text = re.sub(r"return-\d+", inputs.get("return", ""), text)
    text = re.sub(r"PT-[A-Z0-9-]+", inputs.get("short") or inputs.get("sku", ""), text)
    stores = [world.stores[one.store_id].name if one else "" for one in (basket, own)]
    text = STORES.sub(lambda match: stores["your own" in text[: match.start()].lower()], text)
    for token in truth.tokens:
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", token, text) if "T" in token else text
    return text


def faults(variant_id: str, asked: str, message: str, *, stated: bool, seeds: range = range(2)) -> list[str]:
    """Return what the grader holds against a recorded right message in our worlds, if it fits one of them.

    The public pages do not ask a message to name the record and what was done; ours do, which `stated` includes.
    """
    found = []
    for seed in seeds:
        task = pose_variant(variant_id, f"recorded|{seed}", WorldSettings(names="public"))
        if not fits(task, message):
            continue
        environment = EcomEnvironment(task.world.workspace())
        answer = reference_of(task.truth.family)(ReferenceClient(environment, task.truth.names), task.truth)
        environment.answer(put_into(task, asked, message), answer.outcome, answer.refs)
        truth = task.truth if stated else replace(task.truth, stated=(), percent=0)
        found += [f"{environment.submission}: {line}" for line in grade(truth, environment).details]
    return found


def fits(task: Task, message: str) -> bool:
    """Say whether a message speaks of the very case of a task, whose state, reason or value cannot be replaced."""
    truth, tokens = task.truth, task.truth.tokens
    if truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED and "status" in truth.inputs:
        is_named = re.search(rf"\b{truth.inputs['status']}\b", message) is not None
        return is_named and not re.search("requires|must|only|before", message)
    if tokens and "T" not in tokens[0]:
        return re.search(rf"\b{tokens[0]}\b", message) is not None
    if truth.percent:
        return f"{truth.percent}" in re.findall(r"\d+", message)
    return truth.inputs.get("case", "discounted") == "discounted"
