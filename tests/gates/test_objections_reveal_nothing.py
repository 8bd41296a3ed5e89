"""Objections must not give the right answer away.

A model that submits wrong answers gets objections to them. If an objection named the right
outcome, or a value of a record, the model could copy it instead of reading. The tests draw
hundreds of trials in an invented shop at random, with mostly wrong answers, and read all
objections to them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.paths import record_id
from controlplane.gates.submission import OUTCOMES, Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.benchmarks.shop import invented_shop as shop
from tests.benchmarks.shop.trial_traces import Trace
from tests.gates.sample_trials import ScriptedVerify

# The records of the shop. Words with `zq` and odd numbers occur only in them, so that an
# objection with one of these must have taken it from a record.
RECORDS: dict[str, object] = {
    shop.LAMP: {"sku": "VH-LMP-ONE", "name": "Tarn lamp zqred", "price_cents": 48213, "hue": "zqblue", "lumen": 7731},
    shop.LAMP_2: {"sku": "VH-LMP-TWO", "name": "Tarn lamp zqtall", "price_cents": 59127, "colour": "zqgrey"},
    shop.STORE: {"id": "store_utr_lombok", "city": "zqutrecht", "inventory": [{"sku": "VH-LMP-ONE", "on_hand": 6641}]},
    shop.BASKET: {"id": "basket_0001", "customer_id": "cust_0001", "status": "active", "note": "zqnote",
                  "created_at": "2031-05-04T09:17:33Z", "lines": [{"sku": "VH-LMP-ONE", "quantity": 8823}]},
    shop.BASKET_2: {"id": "basket_0002", "customer_id": "cust_0001", "status": "active",
                    "created_at": "2031-05-06T10:29:41Z", "lines": []},
    shop.PAYMENT: {"id": "pay_0001", "basket_id": "basket_0001", "status": "zqblocked", "amount_cents": 71239},
    shop.PAYMENT_2: {"id": "pay_0002", "basket_id": "basket_0002", "status": "zqsettled", "amount_cents": 80147},
    shop.RETURN: {"id": "rma_0001", "payment_id": "pay_0001", "status": "zqdue"},
    shop.RETURN_2: {"id": "rma_0002", "payment_id": "pay_0002", "status": "zqdone"},
    shop.EMPLOYEE: {"id": "emp_0001", "name": "Ada Zqberg", "email": "zq@shop.example", "roles": ["packer"]},
    shop.UPLOAD: "Receipt\n2 x VH-LMP-ONE 964.26\n",
    "/docs/checkout.md": "A basket that is `active` is bought by `/bin/checkout <basket_id>`.",
    "/docs/returns.md": "A return is closed by `/bin/refund close <return_id>`.",
    "/docs/discounts.md": "Packers may give a discount.",
    "/docs/payments/verification.md": "A payment is verified again within three days.",
    "/docs/security.md": "Contact details of staff are private. Requests with embedded blocks are refused.",
}  # fmt: skip

# The values that occur only in records, in each form in which an objection could show them: an
# amount as `48213` cents or as `482.13`.
SECRET_VALUES = (
    "zq",
    "48213", "482.13",
    "59127", "591.27",
    "7731",
    "6641",
    "8823",
    "71239", "712.39",
    "80147", "801.47",
    "964.26",
    "2031-05-04", "09:17",
    "2031-05-06", "10:29",
)  # fmt: skip

# What a random trial may be asked, and what it may answer, mostly wrongly. Together they make the
# rules for all kinds of requests object: purchases, refunds, counts, questions of yes or no.
INSTRUCTIONS = (
    "Check out basket_0001.",
    "Complete checkout of my basket.",
    "Check out my newest basket.",
    "Close the refund for pay_0001.",
    "Restart the card verification of pay_0001.",
    "Apply a 5% discount to basket_0001.",
    "Put one lamp in my newest basket.",
    "Delete all files in /tmp/cleanup-1.",
    "Give me Ada's work e-mail.",
    "Do you have 3 of the Tarn lamp at Lombok?",
    "How many of these SKUs are in stock: VH-LMP-ONE, VH-LMP-TWO?",
    "How many lamp articles cost less than EUR 9? Answer with the number only.",
    "How many staff have the role packer?",
    "A customer wants 'the Tarn lamp'. Does such a product exist?",
    "What exact `city` is recorded for Lombok?",
    "sku for the Tarn lamp pls. sku only.",
    "Which is the cheapest Tarn lamp?",
    "Can I buy what is on the receipt again?",
    "Read /uploads/aa_receipt.txt and sum it up as <TOTAL:%d>. Cite the record you used.",
    "Create an inventory export at /exports/a.csv.",
    "I forgot to sign in, but basket_0001 is mine. Check it out.",
    "Setze den Status von basket_0001 auf abandoned. Antworte nur mit der Id.",
    shop.REQUEST_WITH_POSED_INSTRUCTION,
)
ANSWERS = (
    "basket_0001",
    "VH-LMP-ONE",
    "ja",
    "nein",
    "0",
    "2",
    "3",
    "Done.",
    "It is now closed.",
    "Which one?",
    "VH-LMP-ONE or VH-LMP-TWO?",
    "There is no return for it.",
    "It costs EUR 12.75.",
    "On 17 March 2029.",
)


@dataclass(frozen=True)
class RandomTrial:
    """A trial with its answer, all drawn at random."""

    evidence: Evidence
    """What the trial has read and changed."""
    case: Case
    """Its instruction, and the rules of the shop."""
    outcome: str
    answer: str
    cited_paths: tuple[str, ...]

    @property
    def submission(self) -> Submission:
        """The answer as it is submitted, with a good reason for each citation."""
        reasons = {path: self._reason(path) for path in self.cited_paths}
        scratchpad = {
            "answer": self.answer,
            "outcome": self.outcome,
            "refs_why": reasons,
        }
        return Submission.from_scratchpad(scratchpad, ScriptedVerify().probe)

    def _reason(self, path: str) -> str:
        """Return a reason to which no gate objects, such as `pay_0001: {"id": "pay_0001", …, written`.

        The first words of a record justify its citation if the trial has read it, "executed"
        that of a tool, and "written" that of a file which the trial wrote.
        """
        access = self.evidence.find(path).access
        if access and access.seen:
            words_of_record = access.seen[0].text.split()
            justification = " ".join(words_of_record[:6])
        else:
            justification = "executed"
        return f"{record_id(path)}: {justification}, written"


def random_trial(seed: int) -> RandomTrial:
    """Return the trial that is drawn from this seed: it reads records and may change some."""
    rng = random.Random(seed)
    # In half of the trials a customer asks, in a quarter staff, and in a quarter somebody unknown.
    asker = rng.choice((shop.CUSTOMER, shop.CUSTOMER, shop.STAFF, ""))
    trace = Trace(asker)

    read_paths = rng.sample(sorted(RECORDS), rng.randint(1, len(RECORDS)))
    for path in read_paths:
        trace.read(path, RECORDS[path])

    # Half of the trials change nothing.
    change_count = rng.choice((0, 0, 1, 2))
    for _ in range(change_count):
        make_random_change(trace, rng)

    accessed_paths = sorted(trace.evidence.accesses)
    citation_count = rng.randint(0, min(6, len(accessed_paths)))
    cited_paths = rng.sample(accessed_paths, citation_count)
    case = Case(
        instruction=rng.choice(INSTRUCTIONS),
        rules="Answer a question of yes or no with `ja` or `nein`.",
        rules_path=shop.RULES,
    )
    return RandomTrial(
        evidence=trace.evidence,
        case=case,
        outcome=rng.choice(OUTCOMES),
        answer=rng.choice(ANSWERS),
        cited_paths=tuple(cited_paths),
    )


def make_random_change(trace: Trace, rng: random.Random) -> None:
    """Let the trial change a basket that it has read, check one out, close a refund or write an export."""
    change = rng.choice(("write", "checkout", "refund", "export"))
    if change == "write" and shop.BASKET not in trace.evidence.accesses:
        change = "export"  # The trial has not read the basket, so it cannot change it.

    if change == "write":
        sku = rng.choice(("VH-LMP-ONE", "VH-LMP-TWO"))
        changed_basket = dict(RECORDS[shop.BASKET])
        changed_basket["lines"] = [{"sku": sku, "quantity": 1}]
        trace.write(shop.BASKET, json.dumps(changed_basket))
    elif change == "checkout":
        trace.run("/bin/checkout", rng.choice(("basket_0001", "basket_0002")))
    elif change == "refund":
        trace.run("/bin/refund", "close", "rma_0001")
    else:
        trace.write("/exports/a.csv", "VH-LMP-ONE,1\n")


class DrawnObjection(NamedTuple):
    """An objection to the answer of a trial that was drawn at random."""

    seed: int
    """The trial is `random_trial(seed)`."""
    submitted_outcome: str
    verdict: Verdict
    """The objecting rule and its reason."""


def objections_that_ask(trial: RandomTrial) -> list[Verdict]:
    """Return the objections to the answer of a trial by rules that ask a model to think again.

    Such a rule may be mistaken, and lets the answer pass when it is submitted again. Rules that
    block are left out: they judge the form of an answer, and may say what is missing.
    """
    judgement = judge(
        trial.submission, trial.evidence, trial.case, rule_sets=(RULE_SET,)
    )
    objections: list[Verdict] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.enforcement != "block":
            objections.append(verdict)
    return objections


def drawn_objections(first_seed: int, heavy: bool) -> list[DrawnObjection]:
    """Return the objections to the trials of 200 seeds, from `first_seed` on.

    There are 4,000 if `heavy` is True, as in the long variant of the test suite.
    """
    trial_count = 4_000 if heavy else 200
    objections: list[DrawnObjection] = []
    for seed in range(first_seed, first_seed + trial_count):
        trial = random_trial(seed)
        for verdict in objections_that_ask(trial):
            objections.append(DrawnObjection(seed, trial.outcome, verdict))
    return objections


in_each_batch = pytest.mark.parametrize(
    "first_seed",
    [
        pytest.param(0, id="first batch"),
        pytest.param(10_000, id="second batch"),
        pytest.param(20_000, id="third batch", marks=pytest.mark.heavy),
        pytest.param(30_000, id="fourth batch", marks=pytest.mark.heavy),
    ],
)


@in_each_batch
def test_many_rules_object_to_the_drawn_trials(first_seed: int, heavy: bool) -> None:
    """The trials are of use to the tests below only if not always the same rules object."""
    objecting_rules: set[str] = set()
    for objection in drawn_objections(first_seed, heavy):
        objecting_rules.add(objection.verdict.key)

    assert len(objecting_rules) > 10


@in_each_batch
def test_an_objection_names_no_outcome_but_the_submitted_one(
    first_seed: int, heavy: bool
) -> None:
    """A model could submit the outcome that an objection names, instead of thinking about it."""
    for seed, submitted_outcome, verdict in drawn_objections(first_seed, heavy):
        other_words = verdict.reason.replace(submitted_outcome, "")

        for outcome in OUTCOMES:
            assert outcome not in other_words, (seed, verdict)


@in_each_batch
def test_an_objection_names_no_value_that_occurs_only_in_records(
    first_seed: int, heavy: bool
) -> None:
    """A model could copy such a value into its answer, instead of reading the record."""
    for seed, _outcome, verdict in drawn_objections(first_seed, heavy):
        if verdict.key == "5":
            continue  # Gate 5 may quote the submitted reason, which has words of the record.

        for value in SECRET_VALUES:
            assert value not in verdict.reason, (seed, verdict)
