"""How submissions are judged by gates and rules, and how values are read from texts.

A sound submission is accepted as it is. Users may turn gates and rules off, or let them ask or
block, and may demand or forbid citations. Objections do not give the right answer away. Numbers,
dates, ids and addresses of any spelling have one canonical form, both readings count if a value is
ambiguous, and reading takes linear time.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import pytest

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge, rule_keys
from controlplane.gates.opinions import Objection
from controlplane.gates.paths import record_id
from controlplane.gates.rule_set_loading import RuleSetError, load_rule_set
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.values.identifiers import mailbox_of
from controlplane.gates.values.notations import CLDR_NAMES_FILE, locale_names
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.gates.verdicts import GATE_NAMES, GatePolicy, Judgement, Verdict
from controlplane.sandbox.interface.outcomes import PLATFORM_OUTCOMES
from tests.benchmarks.shop import invented_shop as shop
from tests.benchmarks.shop.trial_traces import Trace
from tests.gates.judged_scratchpads import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    objection_of,
    rejecting_keys,
    submission_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.cldr_tables import text_of_file
from tests.support.executed_work import assert_linear

# Verdicts of a rule of a user that demands or forbids citations.


def verdict_on(
    objection: Objection,
    *,
    cited: set[str],
    demanded_by_other_rules: frozenset[str] = frozenset(),
) -> Verdict:
    """Return the verdict of a rule with this objection on an answer that cites these paths.

    `verdict_on(Objection(forbids=("/c",), surplus_message="{paths} is surplus."),
    cited={"/c"}).reason` -> "`/c` is surplus."
    """
    rule = Rule("files", lambda submission, evidence, case: objection)
    demanded_by_any_rule = demanded_by_other_rules.union(objection.demands)
    return rule.verdict(objection, frozenset(cited), demanded_by_any_rule)


# An answer in capitals, "A LOAN RUNS 21 DAYS.", and two rules of a user that object to it.


def fault_of_capitals(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "do not shout" if submission.answer_text.isupper() else ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "speak up"


def judge_shouting(enforcements: dict[str, str]) -> Judgement:
    """Judge the answer "A LOAN RUNS 21 DAYS.", to which both rules of the set `library` object.

    `enforcements` is what the user has chosen. `judge_shouting({"library/no-whisper": "off"})`
    .message -> "[library/no-shouting; objection 1 of 2] do not shout"
    """
    # This rule asks, unless told otherwise.
    no_shouting = Rule("no-shouting", fault_of_capitals)
    no_whisper = Rule("no-whisper", fault_of_any_answer, "block")
    return judge_scratchpad(
        valid_scratchpad(answer="A LOAN RUNS 21 DAYS."),
        rule_sets=(RuleSet("library", (no_shouting, no_whisper)),),
        policy=GatePolicy(enforcements),
    )


# Reasons for citations to which no gate objects.


def reason_for(path: str, evidence: Evidence) -> str:
    """Return a reason to cite a path to which no gate objects, whatever the trial did there.

    Gate 5 wants something of what is cited: words of a record that was read, "executed" for a
    program that was run, or "written" for a file that the trial wrote. So the reason has the first
    words of the text, or "executed", and always "written":

        pay_0001: {"id": "pay_0001", "basket_id": "basket_0001",, written
    """
    access = evidence.find(path).access
    if access and access.seen:
        words_of_record = access.seen[0].text.split()
        justification = " ".join(words_of_record[:6])
    else:
        justification = "executed"
    return f"{record_id(path)}: {justification}, written"


# Records of a shop with values that occur nowhere else.
#
# Words with `zq` and odd numbers such as 48213 are only in these records. So a text that has one of
# them, such as an objection to an answer, must have taken it from a record.

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


# Changes in an invented shop, drawn at random.


def make_random_change(trace: Trace, rng: random.Random) -> None:
    """Let the trial change a basket that it has read, check one out, close a refund or export.

    To check out is, for example, the call `/bin/checkout basket_0001`.
    """
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


# Requests to a solver in an invented shop, and answers to draw at random, mostly wrong ones.
#
# "How many staff have the role packer?" may be answered by "It is now closed." A rule of the shop
# objects to such an answer. Drawn often enough, they make the rules for all kinds of requests object.

INSTRUCTIONS = (
    # Baskets and payments
    "Check out basket_0001.",
    "Complete checkout of my basket.",
    "Check out my newest basket.",
    "Close the refund for pay_0001.",
    "Restart the card verification of pay_0001.",
    "Apply a 5% discount to basket_0001.",
    "Put one lamp in my newest basket.",
    # What has nothing to do with the shop, or is private
    "Delete all files in /tmp/cleanup-1.",
    "Give me Ada's work e-mail.",
    # Stock, counts, and other facts
    "Do you have 3 of the Tarn lamp at Lombok?",
    "How many of these SKUs are in stock: VH-LMP-ONE, VH-LMP-TWO?",
    "How many lamp articles cost less than EUR 9? Answer with the number only.",
    "How many staff have the role packer?",
    "A customer wants 'the Tarn lamp'. Does such a product exist?",
    "What exact `city` is recorded for Lombok?",
    "sku for the Tarn lamp pls. sku only.",
    "Which is the cheapest Tarn lamp?",
    # Files
    "Can I buy what is on the receipt again?",
    "Read /uploads/aa_receipt.txt and sum it up as <TOTAL:%d>. Cite the record you used.",
    "Create an inventory export at /exports/a.csv.",
    # A basket of somebody else, another language, and a text that poses as a system's instruction
    "I forgot to sign in, but basket_0001 is mine. Check it out.",
    "Setze den Status von basket_0001 auf abandoned. Antworte nur mit der Id.",
    shop.REQUEST_WITH_POSED_INSTRUCTION,
)
ANSWERS = (
    # Bare values: an id, an article, yes and no in German, numbers
    "basket_0001",
    "VH-LMP-ONE",
    "ja",
    "nein",
    "0",
    "2",
    "3",
    # Sentences
    "Done.",
    "It is now closed.",
    "Which one?",
    "VH-LMP-ONE or VH-LMP-TWO?",
    "There is no return for it.",
    "It costs EUR 12.75.",
    "On 17 March 2029.",
)


# Trials in an invented shop, drawn at random, with mostly wrong answers.
#
# `random_trial(12)` has read some records of the shop and perhaps checked a basket out. It answers a
# request such as "How many staff have the role packer?" with, say, "It is now closed." The same
# seed always gives the same trial.


@dataclass(frozen=True)
class RandomTrial:
    """A trial with its answer, all drawn at random."""

    evidence: Evidence
    """What the trial has read and changed."""
    case: Case
    """Its instruction, and the rules of the shop."""
    submission: Submission
    """The answer as it is submitted, with a good reason for each citation."""
    outcome: str
    """The outcome that is submitted."""


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
    outcome = rng.choice(PLATFORM_OUTCOMES.names)
    scratchpad = {
        "answer": rng.choice(ANSWERS),
        "outcome": outcome,
        "refs_why": {path: reason_for(path, trace.evidence) for path in cited_paths},
    }
    return RandomTrial(trace.evidence, case, submission_of(scratchpad), outcome)


# Objections to mostly wrong answers of trials in an invented shop, drawn at random.


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
    `drawn_objections(0, heavy=False)[0].verdict.reason` is a text such as "No call has shown …".
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


# Two rules of a user that disagree: one demands a citation that the other one forbids.
#
# | rule       | objects to an answer                                | with                           |
# | ---------- | --------------------------------------------------- | ------------------------------ |
# | `DEMANDS`  | that does not cite the page `/docs/Loans.md`        | `/docs/Loans.md` is missing.   |
# | `FORBIDS`  | that cites the page, or the log `/logs/lent.tsv`    | `/logs/lent.tsv` is surplus.   |


def demand_the_page(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(demands=("/docs/Loans.md",), missing_message="{paths} is missing.")


def forbid_the_page_and_the_log(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )


DEMANDS = Rule("demands", demand_the_page)
FORBIDS = Rule("forbids", forbid_the_page_and_the_log)
each_order_of_rules = pytest.mark.parametrize(
    "rules",
    [
        pytest.param((DEMANDS, FORBIDS), id="the demand first"),
        pytest.param((FORBIDS, DEMANDS), id="the prohibition first"),
    ],
)


# The one value that a short text states.


def only_value(text: str) -> WrittenValue:
    """Return the one value of a text.

    `only_value("1.250,50 €")` -> `WrittenValue(kind=Kind.NUMBER, canonical="1250.5", unit="EUR", …)`
    """
    values = written_values(text)
    assert len(values) == 1, values
    return values[0]


# A rule of a user may demand that an answer cites some files.
#
#     Objection(demands=("/a", "/b"), missing_message="{paths} is missing.")
#
# The rule returns this objection whatever is cited. An answer that does not cite `/a` is rejected:
# "`/a` is missing."

DEMAND = Objection(demands=("/a", "/b"), missing_message="{paths} is missing.")


def test_an_answer_with_all_demanded_citations_passes() -> None:
    verdict = verdict_on(DEMAND, cited={"/a", "/b"})

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_a_missing_citation_is_named() -> None:
    verdict = verdict_on(DEMAND, cited={"/b"})

    assert verdict.result == "reject"
    assert verdict.reason == "`/a` is missing."


def test_all_missing_citations_are_named() -> None:
    verdict = verdict_on(DEMAND, cited=set())

    assert verdict.result == "reject"
    assert verdict.reason == "`/a`, `/b` is missing."


def test_a_path_that_a_rule_lists_twice_is_named_once() -> None:
    demand = Objection(
        demands=("/a", "/b", "/a"), missing_message="{paths} is missing."
    )

    verdict = verdict_on(demand, cited=set())

    assert verdict.reason == "`/a`, `/b` is missing."


# A rule of a user may forbid that an answer cites some files, unless another rule demands them.
#
#     Objection(forbids=("/c", "/d"), surplus_message="{paths} is surplus.")
#
# The rule returns this objection whatever is cited. An answer that cites `/c` is rejected: "`/c` is
# surplus."

PROHIBITION = Objection(forbids=("/c", "/d"), surplus_message="{paths} is surplus.")


def test_an_answer_without_forbidden_citations_passes() -> None:
    verdict = verdict_on(PROHIBITION, cited={"/a"})

    assert verdict.result == "pass"


def test_a_forbidden_citation_is_named() -> None:
    verdict = verdict_on(PROHIBITION, cited={"/a", "/c"})

    assert verdict.result == "reject"
    assert verdict.reason == "`/c` is surplus."


def test_a_forbidden_citation_that_another_rule_demands_passes() -> None:
    verdict = verdict_on(
        PROHIBITION, cited={"/a", "/c"}, demanded_by_other_rules=frozenset({"/c"})
    )

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_missing_and_surplus_citations_are_named_together() -> None:
    """`/a` and `/b` are missing, and `/c` is surplus. Another rule demands `/d`."""
    objection = Objection(
        demands=("/a", "/b"),
        missing_message="{paths} is missing.",
        forbids=("/c", "/d"),
        surplus_message="{paths} is surplus.",
    )

    verdict = verdict_on(
        objection, cited={"/c", "/d"}, demanded_by_other_rules=frozenset({"/d"})
    )

    assert verdict.result == "reject"
    assert verdict.reason == "`/a`, `/b` is missing.\n`/c` is surplus."


# A gate that asks objects in two turns of a trial, and then lets the answer pass.
#
# A gate is a check of an answer. Gate 5 asks: it objects to a citation whose reason, "relevant
# document", fits any file. A model that submits it a third time has thought about the objection, and
# may be right. A gate that blocks objects until the answer is corrected.


@pytest.mark.parametrize(
    ("earlier_objections", "count_in_message"),
    [
        pytest.param([], "objection 1 of 2]", id="first turn"),
        pytest.param(["too vague"], "objection 2 of 2]", id="second turn"),
    ],
)
def test_an_asking_gate_objects_in_two_turns(
    earlier_objections: list[str], count_in_message: str
) -> None:
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        earlier_objections={"5": earlier_objections},
    )

    assert verdict_of(judgement, 5).result == "reject"
    assert not judgement.accepted
    assert count_in_message in judgement.message


@pytest.mark.parametrize(
    "earlier_objections",
    [
        pytest.param(["too vague", "too vague"], id="third turn"),
        pytest.param(["too vague", "too vague", "too vague"], id="fourth turn"),
    ],
)
def test_an_asking_gate_is_overridden_after_two_objections(
    earlier_objections: list[str],
) -> None:
    """The objection is recorded, but the answer is accepted."""
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        earlier_objections={"5": earlier_objections},
    )

    assert judgement.accepted
    assert judgement.message == ""
    assert verdict_of(judgement, 5).result == "overridden"
    assert "names nothing that was found there" in verdict_of(judgement, 5).reason


def test_a_blocking_gate_still_rejects_after_two_objections() -> None:
    """Gate 7 blocks. It calls the script's function `verify`, which here says no."""
    judgement = judge_scratchpad(
        valid_scratchpad(refs_why={"/docs/Loans.md": "relevant document"}),
        verify=ScriptedVerify(as_submitted=VerifyAnswer(says_yes=False)),
        earlier_objections={
            "5": ["too vague", "too vague"],
            "7": ["did not return True", "did not return True"],
        },
    )

    assert rejecting_keys(judgement) == ["7"]  # Gate 5, which asks, is overridden.
    assert "[gate 7: verify says yes] " in judgement.message


# A submission to which no gate and no rule objects is accepted as it is.
#
# A gate is one of eight built-in checks of an answer. A rule is a further check, such as `6/wording`
# of gate 6. Each gives a verdict, and all verdicts become one judgement.


def test_a_sound_submission_is_accepted_as_it_was_submitted() -> None:
    # The trial has read the file that is cited, which says so.
    judgement = judge_scratchpad(
        {
            "answer": "A loan runs 21 days.",
            "outcome": "OUTCOME_OK",
            "refs_why": {"/docs/Loans.md": "rule that a loan runs 21 days"},
        }
    )

    assert judgement.accepted
    assert judgement.message == ""
    assert judgement.answer == "A loan runs 21 days."
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)


def test_every_gate_and_rule_gives_a_verdict() -> None:
    """A verdict is recorded for each, so that a user can see what was checked."""
    judgement = judge_scratchpad(valid_scratchpad())

    gate_keys: list[str] = []
    for verdict in judgement.verdicts:
        if verdict.name in GATE_NAMES.values():
            gate_keys.append(verdict.key)
    assert gate_keys == ["1", "2", "3", "4", "5", "6", "7", "8"]
    # The rule `review`, which asks a second model, runs elsewhere.
    all_keys = {verdict.key for verdict in judgement.verdicts}
    assert all_keys == rule_keys() - {"review"}


# A user may turn a gate off, a built-in check of answers: `GatePolicy({"8": "off"})`.
#
# Gate 8 rejects an answer without the texts that its script declares as tokens. A gate that is off
# judges all the same, so that the user sees what it would have stopped, but it neither stops the
# answer nor tells the model.


def test_a_gate_that_is_not_off_stops_an_answer() -> None:
    # The script says that the word 22 must be in its answer, but it is not.
    scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

    judgement = judge_scratchpad(scratchpad)

    assert not judgement.accepted
    assert "[gate 8: literal tokens] The declared token `22`" in judgement.message
    assert verdict_of(judgement, 8).result == "reject"
    assert verdict_of(judgement, 8).enforcement == "block"


def test_a_gate_that_is_off_judges_but_stops_no_answer() -> None:
    scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"8": "off"}))

    assert judgement.accepted
    assert judgement.message == ""
    assert verdict_of(judgement, 8).result == "reject"
    assert verdict_of(judgement, 8).enforcement == "off"


def test_the_faults_that_checks_found_are_told_except_for_those_that_are_off() -> None:
    scratchpad = valid_scratchpad(
        answer="OUTCOME_DENIED_SECURITY",  # a fault of 6/wording
        refs_why={"/docs/Loans.md": "relevant document"},  # gate 5: too vague
        tokens=["22"],  # gate 8
    )

    judgement = judge_scratchpad(
        scratchpad, policy=GatePolicy({"8": "off", "5": "off"})
    )

    assert rejecting_keys(judgement) == ["5", "6/wording", "8"]
    assert verdict_of(judgement, 5).enforcement == "off"
    assert verdict_of(judgement, "6/wording").enforcement == "ask"
    assert verdict_of(judgement, 8).enforcement == "off"
    (only_line,) = judgement.message.splitlines()
    assert only_line.startswith("[gate 6: wording; objection 1 of 2]")


# A user may turn the rules of a rule set off, or let them ask or block.
#
# The answer "A LOAN RUNS 21 DAYS." breaks both rules of the set `library`. `no-shouting` forbids
# capitals, and *asks*: it rejects two submissions of a trial at most, and then gives in.
# `no-whisper` forbids any answer, and *blocks*: it rejects all. A rule that is *off* is still checked,
# but rejects nothing. `{"library": "off"}` turns both rules off.


def enforcements(judgement: Judgement) -> list[tuple[str, str]]:
    """Return the broken rules, each with how it is enforced: `("library/no-whisper", "block")`."""
    broken_rules = rejecting_keys(judgement)
    return [(key, verdict_of(judgement, key).enforcement) for key in broken_rules]


def test_rules_ask_or_block_as_they_are_declared() -> None:
    judgement = judge_shouting({})

    assert enforcements(judgement) == [
        ("library/no-shouting", "ask"),
        ("library/no-whisper", "block"),
    ]
    assert judgement.message.splitlines() == [
        "[library/no-shouting; objection 1 of 2] do not shout",
        "[library/no-whisper] speak up",
    ]


def test_a_rule_set_is_off_with_all_its_rules() -> None:
    judgement = judge_shouting({"library": "off"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "off"),
        ("library/no-whisper", "off"),
    ]
    assert judgement.accepted
    assert judgement.message == ""


def test_one_rule_of_a_set_can_be_off() -> None:
    judgement = judge_shouting({"library/no-whisper": "off"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "ask"),
        ("library/no-whisper", "off"),
    ]
    assert judgement.message == "[library/no-shouting; objection 1 of 2] do not shout"


def test_a_rule_set_can_be_off_except_for_one_rule() -> None:
    """The remaining rule is declared to block, and is set to ask."""
    judgement = judge_shouting({"library": "off", "library/no-whisper": "ask"})

    assert enforcements(judgement) == [
        ("library/no-shouting", "off"),
        ("library/no-whisper", "ask"),
    ]
    assert judgement.message == "[library/no-whisper; objection 1 of 2] speak up"


# A user may turn a rule of a gate off, alone or with its gate: `GatePolicy({"6/wording": "off"})`.
#
# Gate 6 is one of the built-in checks of answers. Its rule `6/wording` objects to an answer that is
# the name of an outcome. A rule that is off judges all the same, but it stops no answer.


def test_a_gate_is_off_with_its_rules() -> None:
    scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"6": "off"}))

    assert judgement.accepted
    assert verdict_of(judgement, "6/wording").result == "reject"
    assert verdict_of(judgement, "6/wording").enforcement == "off"


def test_a_rule_of_a_gate_can_be_off_alone() -> None:
    scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"6/wording": "off"}))

    assert judgement.accepted
    assert verdict_of(judgement, "6/wording").enforcement == "off"
    assert verdict_of(judgement, 6).enforcement != "off"


# The trials that are drawn at random to test objections are of use: many rules object to them.
#
# There are rules for answers about purchases, refunds, counts and other requests. If always the same
# one objected, the words of the others would not be tested.


@in_each_batch
def test_many_rules_object_to_the_drawn_trials(first_seed: int, heavy: bool) -> None:
    objecting_rules: set[str] = set()
    for objection in drawn_objections(first_seed, heavy):
        objecting_rules.add(objection.verdict.key)

    assert len(objecting_rules) > 10


# Objections must not give the right answer away.
#
# A model that submits wrong answers gets objections to them. If an objection named the right outcome,
# such as `OUTCOME_DENIED_SECURITY`, or a value of a record, the model could copy it instead of
# reading. The objections to 200 mostly wrong answers, drawn at random in an invented shop, are read
# here.


@in_each_batch
def test_an_objection_names_no_outcome_but_the_submitted_one(
    first_seed: int, heavy: bool
) -> None:
    for seed, submitted_outcome, verdict in drawn_objections(first_seed, heavy):
        other_words = verdict.reason.replace(submitted_outcome, "")

        for outcome in PLATFORM_OUTCOMES.names:
            assert outcome not in other_words, (seed, verdict)


@in_each_batch
def test_an_objection_names_no_value_that_occurs_only_in_records(
    first_seed: int, heavy: bool
) -> None:
    """Such a value is a word with `zq`, or an odd number such as 48213 cents."""
    for seed, _outcome, verdict in drawn_objections(first_seed, heavy):
        if verdict.key == "5":
            continue  # Gate 5 may quote the submitted reason, which has words of the record.

        for value in SECRET_VALUES:
            assert value not in verdict.reason, (seed, verdict)


# A rule of a user that raises an exception does not cost the answer.
#
# A rule is a function that objects to an answer. If it has a mistake, its verdict is
# `not_applicable`, and names the failed line: "the rule failed: KeyError: 'nothing'
# (test_judging_enforcements.py, line 780)".


def fail(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Raise `KeyError: 'nothing'`, as a rule with a mistake may do."""
    return str({}["nothing"])


@pytest.mark.parametrize("enforcement", ["block", "ask"])
def test_a_rule_that_raises_does_not_apply_and_names_the_failed_line(
    enforcement: str,
) -> None:
    rule_set = RuleSet("x", (Rule("broken", fail, enforcement),))

    judgement = judge_scratchpad(valid_scratchpad(), rule_sets=(rule_set,))

    assert judgement.accepted
    assert judgement.message == ""
    verdict = verdict_of(judgement, "x/broken")
    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: KeyError: 'nothing'")
    assert ".py, line " in verdict.reason


# A rule set that a user chooses by its name is loaded, or refused in one line.
#
# A rule set has the rules for one kind of benchmark. It has a name, such as `ecom`, or is a Python
# object: `package.module:NAME`. "nonesuch" is refused: "no rule set is called 'nonesuch': use one of
# ecom, posed".


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonesuch", "no rule set is called 'nonesuch': use one of ecom, posed"),
        ("nowhere.at:ALL", "cannot be loaded"),
        ("json:nothing", "cannot be loaded"),
        ("json:dumps", "is a function, not a controlplane.gates.rules.RuleSet"),
    ],
)
def test_a_rule_set_that_cannot_be_loaded_is_refused_in_one_line(
    name: str, message: str
) -> None:
    with pytest.raises(RuleSetError, match=message) as raised:
        load_rule_set(name)

    assert "\n" not in str(raised.value)


# If one rule of a user demands a citation and another one forbids it, the demand wins.
#
# A rule objects to an answer. The rule `demands` wants the page `/docs/Loans.md` to be cited. The rule
# `forbids` wants neither this page nor the log `/logs/lent.tsv`. `rules` has both, in either order.


@each_order_of_rules
def test_an_answer_may_cite_the_page_that_is_demanded(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    citations = {"/docs/Loans.md": "a loan runs 21 days"}

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert rejecting_keys(judgement) == []


@each_order_of_rules
def test_an_answer_may_not_cite_the_log_which_no_rule_demands(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    citations = {
        "/docs/Loans.md": "a loan runs 21 days",
        "/logs/lent.tsv": "row 7 is b-104",
    }

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert rejecting_keys(judgement) == ["x/forbids"]
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."


@each_order_of_rules
def test_both_rules_object_to_the_log_in_place_of_the_page(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    citations = {"/logs/lent.tsv": "row 7 is b-104"}

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert sorted(rejecting_keys(judgement)) == ["x/demands", "x/forbids"]
    assert objection_of(judgement, "x/demands") == "`/docs/Loans.md` is missing."
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."


# Names of months, units and currencies in many languages: `juillet` is month 7, `euros` is EUR.
#
# Values of answers are compared by them. The names come from Unicode's collection CLDR, which the
# library `babel` has. They are stored in a file of the project, because `babel` is slow to read.


def test_the_stored_file_is_what_cldr_gives() -> None:
    """If this fails, run `python -m tests.support.cldr_tables`, which writes it."""
    assert CLDR_NAMES_FILE.read_text(encoding="utf-8") == text_of_file()


def test_names_of_many_languages_are_known() -> None:
    names = locale_names()

    assert names.months["juillet"] == 7
    assert names.months["märz"] == 3
    assert names.units["Kilogramm"] == "kg"
    assert names.units["Schweizer Franken"] == "CHF"
    assert names.folded_units["euros"] == "EUR"
    assert names.scales["million"] == 6  # a 1 with 6 zeros
    assert names.decimal_marks["de"] == ","


def test_the_names_are_read_without_importing_babel() -> None:
    """A new process reads the names, and exits with 1 if `babel` was imported."""
    script = """
import sys
from controlplane.gates.values.notations import locale_names
locale_names()
sys.exit("babel" in sys.modules)
"""

    process = subprocess.run([sys.executable, "-c", script], check=False)

    assert process.returncode == 0


# A number of thousands of digits is read without an error, wherever a text has it.
#
# Python converts a text of up to 4,300 digits to an integer, and raises an error for more. A script
# could stop its trial if that error were not expected.

NINES = "9" * 5_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NINES, id="number"),
        pytest.param(f"{NINES}.5 kg", id="decimal number with a unit"),
    ],
)
def test_a_long_number_is_read_as_a_number(text: str) -> None:
    assert [value.kind for value in written_values(text)] == [ValueKind.NUMBER]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{NINES} h {NINES} min", id="no duration"),
        pytest.param(f"May {NINES}, 2024", id="no date"),
    ],
)
def test_long_numbers_between_words_are_read_as_numbers_alone(text: str) -> None:
    """Unlike "4 h 30 min", which is one duration, and "May 4, 2024", which is one date."""
    assert [value.kind for value in written_values(text)] == [
        ValueKind.NUMBER,
        ValueKind.NUMBER,
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{NINES}/{NINES}", id="no fraction"),
        pytest.param(f"{NINES}:{NINES}", id="no hours and minutes"),
        pytest.param(f"12:30:{NINES}", id="no hours, minutes and seconds"),
        pytest.param(f"2024-{NINES}-01", id="no date"),
        pytest.param(f"1e{NINES}", id="no exponent"),
    ],
)
def test_a_long_number_joined_to_others_is_read_as_part_of_an_id(text: str) -> None:
    """Unlike "12:30", which is a time of day, and "2024-05-01", which is a date."""
    assert [value.kind for value in written_values(text)] == [ValueKind.ID]


def test_a_long_number_in_arabic_digits_is_read() -> None:
    (value,) = written_values("\u0663" * 5_000)  # Arabic three

    assert value.canonical == "3" * 5_000


def test_a_long_row_of_chinese_numerals_is_no_value() -> None:
    """Three of them are read as 111; a row of more than some dozens is taken for a text."""
    assert written_values("\u4e00" * 5_000) == []  # Chinese one


# A value that can be read in two ways has both readings, unless the text around it decides.
#
# `1.199 kg` is 1199 kg in a German text, and 1.199 kg in an English one. `canonical` is the first
# reading, `other_canonical` the second; it is empty if the text leaves only one.


@pytest.mark.parametrize(
    ("text", "first_reading", "other_reading"),
    [
        pytest.param("1.199 kg", "1199", "1.199", id="mark of thousands or decimals"),
        pytest.param(
            "03/04/2026", "2026-04-03", "2026-03-04", id="day or month comes first"
        ),
    ],
)
def test_an_ambiguous_value_has_both_readings(
    text: str, first_reading: str, other_reading: str
) -> None:
    """There is no sign of the language in either text."""
    value = only_value(text)

    assert value.canonical == first_reading
    assert value.other_canonical == other_reading


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        pytest.param("1.199 kg statt 3,5 kg", "1199", id="beside a decimal comma"),
        pytest.param("1.199 kg, not 3.5 kg", "1.199", id="beside a decimal point"),
        pytest.param('{"weight": 1.199}', "1.199", id="in JSON"),
        pytest.param(
            "Der Wagen ist 1.199 kg schwer und die Waage ist neu",
            "1199",
            id="in German",
        ),
    ],
)
def test_other_numbers_and_the_language_of_a_text_decide_between_readings(
    text: str, reading: str
) -> None:
    weight, *_ = written_values(text, kinds=[ValueKind.NUMBER])

    assert weight.canonical == reading
    assert weight.other_canonical == ""


# Dates, times, ids and addresses in a text have one canonical form each.
#
# `12. März 2026` and `20260312` are the same date, `2026-03-12`, so the answer of an agent may use
# either.


@pytest.mark.parametrize(
    ("text", "kind", "canonical"),
    [
        # Dates and months
        ("12 March 2026", ValueKind.DATE, "2026-03-12"),
        ("12. März 2026", ValueKind.DATE, "2026-03-12"),
        ("March 12th, 2026", ValueKind.DATE, "2026-03-12"),
        ("20260312", ValueKind.DATE, "2026-03-12"),
        # Hyphens that do not break
        ("2026\u201103\u201112", ValueKind.DATE, "2026-03-12"),
        ("令和8年3月12日", ValueKind.DATE, "2026-03-12"),
        ("11.11.", ValueKind.DATE, "--11-11"),  # a day without a year
        ("4 May", ValueKind.DATE, "--05-04"),
        ("March 2026", ValueKind.MONTH, "2026-03"),
        ("2026-03", ValueKind.MONTH, "2026-03"),
        # Times of day
        ("5:10 pm", ValueKind.TIME, "17:10"),
        ("kl. 11.30", ValueKind.TIME, "11:30"),
        ("godz. 9.00", ValueKind.TIME, "09:00"),
        ("17h10", ValueKind.TIME, "17:10"),
        ("午後2時30分", ValueKind.TIME, "14:30"),
        # Ids and versions
        ("INV-2026_17", ValueKind.ID, "inv-2026-17"),
        ("INV-9999の", ValueKind.ID, "inv-9999"),
        ("FB-1934-02", ValueKind.ID, "fb-1934-02"),
        ("3.1.0", ValueKind.ID, "3.1.0"),
        # Addresses, accounts and telephone numbers
        ("https://Bücher.example:443/a/", ValueKind.URL, "xn--bcher-kva.example/a"),
        ("Ada.Byron+x@Example.ORG", ValueKind.MAIL, "ada.byron+x@example.org"),
        ("DE89 3704 0044 0532 0130 00", ValueKind.IBAN, "DE89370400440532013000"),
        ("+49 (0)30 123-4567", ValueKind.TELEPHONE, "+49301234567"),
        ("0049301234567", ValueKind.TELEPHONE, "+49301234567"),
        ("030 / 123 4567", ValueKind.TELEPHONE, "0301234567"),
    ],
)
def test_dates_times_ids_and_addresses_have_one_canonical_form(
    text: str, kind: ValueKind, canonical: str
) -> None:
    value = only_value(text)

    assert value.kind == kind
    assert value.canonical == canonical


def test_a_mailbox_has_no_dots_and_tags() -> None:
    """Mail to `ada.byron+x` arrives in the same mailbox as mail to `adabyron`."""
    assert mailbox_of("ada.byron+x@example.org") == "adabyron@example.org"


# A number in a text has one amount and one unit, whatever its spelling.
#
# `1.250,50 €` and `EUR 1,250.5` are the same amount, so the answer of an agent may use either. Texts
# have the signs and number words of many languages.


@pytest.mark.parametrize(
    ("text", "canonical", "unit"),
    [
        # Amounts of money
        ("1.250,50 €", "1250.5", "EUR"),
        ("EUR 1,250.5", "1250.5", "EUR"),
        ("１２５０.５０ euros", "1250.5", "EUR"),
        ("48 350,00 zł", "48350", "PLN"),
        ("6,189万9,000円", "61899000", "JPY"),
        ("2.4億円", "240000000", "JPY"),
        ("三百二十円", "320", "JPY"),
        ("3만 5천 원", "35000", "KRW"),
        ("1.3 million dollars", "1300000", "$"),
        ("2,5 Mio. Euro", "2500000", "EUR"),
        # Durations and other quantities
        ("3½ hours", "3.5", "h"),
        ("3 1/2 h", "3.5", "h"),
        ("3.5 Stunden", "3.5", "h"),
        ("**3** hours", "3", "h"),
        ("18時間", "18", "h"),
        ("90min", "90", "min"),
        ("5 m³", "5", "m3"),
        ("5 cubic metres", "5", "m3"),
        ("512Mi", "512", "MiB"),
        ("−5 °C", "-5", "°C"),
        ("12,5\u202f%", "12.5", "%"),
        # Numbers without a unit
        ("13th", "13", ""),
        ("٣٫٥", "3.5", ""),  # Arabic digits
        ("令和8年", "2026", ""),  # a year of a Japanese era
    ],
)
def test_a_number_has_one_amount_and_unit_in_every_spelling(
    text: str, canonical: str, unit: str
) -> None:
    value = only_value(text)

    assert value.kind == ValueKind.NUMBER
    assert value.canonical == canonical
    assert value.unit == unit


def test_a_number_of_thousands_of_digits_is_read() -> None:
    """Python refuses to convert so long a number to an integer."""
    digits = "9" * 5_000

    assert only_value(digits).canonical == digits


# A value keeps its text, and the offsets where it stands in the text around it.
#
# The 12 of "It costs 12 EUR." stands at the offsets 9 to 11. The answer of an agent is shown with a
# footnote behind each value, so the place has to be exact.


def test_offsets_fit_the_text_as_it_was_passed() -> None:
    """Values are read in a normalized copy, in which this text is longer or shorter: the
    zero-width blank `\u200b` is left out, and `㎡` becomes `m2`. The offsets are those in the
    text itself."""
    text = "Es kostet\u200b １２ ㎡ à 3½\u00a0€ (e\u0301)."

    area, price = written_values(text)

    assert area.text == "１２"
    assert text[area.start : area.end] == "１２"
    assert price.text == "3½"
    assert text[price.start : price.end] == "3½"


def test_a_citation_mark_may_stand_between_number_and_unit() -> None:
    """Answers are shown with footnotes such as `[4]`, which are not part of a value."""
    duration, *_ = written_values("It takes 3 [4] hours.")

    assert duration.kind == ValueKind.NUMBER
    assert duration.canonical == "3"
    assert duration.unit == "h"


def test_a_number_behind_a_key_with_a_measure_keeps_its_text_and_offsets() -> None:
    """The key `below_20_kg` is read as an id and also as the weight 20 kg. The value that
    follows it has its own text and offsets nevertheless."""
    text = "below_20_kg: 185.00 EUR"

    *_, price = written_values(text)

    assert price.canonical == "185"
    assert price.unit == "EUR"
    assert price.text == "185.00"
    assert text[price.start : price.end] == "185.00"


# Both ends of a range in a text have the unit, month and year that stand behind the second.
#
# `10–12 %` has the values 10 % and 12 %.


def test_both_ends_of_a_range_have_its_unit() -> None:
    low, high = written_values("10–12 %")

    assert low.canonical == "10"
    assert low.unit == "%"
    assert high.canonical == "12"
    assert high.unit == "%"


def test_both_ends_of_a_range_have_its_month_and_year() -> None:
    first_day, last_day = written_values("13 to 27 May 2026")

    assert first_day.canonical == "2026-05-13"
    assert last_day.canonical == "2026-05-27"


# The values of a text of one repeated piece are read in linear time.
#
# A text such as `7 7 7 7 …` has a possible beginning of a value at each place. A pattern that
# looked for the rest of a value behind each would do quadratic work.


@pytest.mark.parametrize(
    "piece",
    [
        "7 ",
        "2031-05-04 ",
        "a1-",
        '"',
        "1.",
        "+31 20 ",
        "„x",
        "10:00 ",
        "May 4, ",
        "½",
        "万",
        "１",
        "[4]",
    ],
)
def test_reading_a_text_of_one_repeated_piece_is_linear_work(piece: str) -> None:
    assert_linear(lambda piece_count: written_values(piece * piece_count), 500)
