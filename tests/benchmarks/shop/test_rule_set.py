"""The rule set of the shop: rules that object to an answer before it is submitted.

For example: to "Close the refund for pay_0001", an answer must cite the payment and its return.
A rule sees the request, the answer, and what the script has read and changed. If it objects,
the answer goes back to the model. Here all rules judge an answer together, to show which of them
objects.
"""

from typing import NamedTuple

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    CLARIFICATION,
    DENIED,
    OK,
    UNSUPPORTED,
    Submission,
)
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    BASKET_2,
    CUSTOMER,
    LAMP,
    LAMP_2,
    PAYMENT,
    POLICIES,
    RETURN,
    RETURN_2,
    RULES,
    STORE,
    UPLOAD,
    Trace,
    objecting_rules,
)

# What the rules of the tests below object to:
#
#   checklist              a kind of record is not cited that such a request needs
#   named-record           a basket, payment or return that the request names is not cited
#   field-record           the record whose field is asked for is not cited, or several are
#   stock-subject          the stock of one product is asked for, and several products are cited
#   existing-product       a yes or no about a product goes against the cited products
#   missing-product        a no, although only the product's name was searched for
#   counted                a count of products is lower than the number of cited products
#   candidates             the agent asks which product is meant, and does not name the cited ones
#   open-detail            one product for a description that may fit several
#   return                 an answer on a refund does not cite its payment and one return
#   blocked-verification   a success that tells of a refusal, or a refusal without its reason
#   staff-contact          contact details of staff are not denied
#   cleanup                temporary files are not deleted
#   question               a question is called unsupported that "no" or 0 can answer


class FaultyAnswer(NamedTuple):
    """An answer to a request, and the name of the rule that objects to it."""

    rule: str
    request: str
    outcome: str
    message: str
    citations: tuple[str, ...]
    """The cited records. The pages on policies are cited as well."""


FAULTY_ANSWERS = [
    pytest.param(
        FaultyAnswer(
            rule="checklist",
            request="Do you have 3 of the lamp at Lombok?",
            outcome=OK,
            message="ja",
            citations=(LAMP,),
        ),
        id="stock: the branch is not cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="checklist",
            request="Can I buy what is on the receipt again?",
            outcome=OK,
            message="ja",
            citations=(STORE, LAMP),
        ),
        id="receipt: the receipt is not cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="checklist",
            request="Apply a 5% discount to basket_0001.",
            outcome=OK,
            message="5% given.",
            citations=(BASKET,),
        ),
        id="discount: the employee who gives it is not cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="stock-subject",
            request="Do you have 3 of the lamp at Lombok?",
            outcome=OK,
            message="nein",
            citations=(STORE, LAMP, LAMP_2),
        ),
        id="stock of one product: two are cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="existing-product",
            request="Is the lamp there, with cells or a plug?",
            outcome=OK,
            message="ja",
            citations=(STORE, LAMP, LAMP_2),
        ),
        id="alternatives: a yes with two products cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="stock-subject",
            request="Do you have 3 of the lamp (but not VH-LMP-ONE)?",
            outcome=OK,
            message="ja",
            citations=(STORE, LAMP),
        ),
        id="stock: only the product that the request excludes is cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="return",
            request="Close the refund for pay_0001.",
            outcome=OK,
            message="Closed.",
            citations=(PAYMENT,),
        ),
        id="refund: no return is cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="return",
            request="Close the refund for pay_0001.",
            outcome=OK,
            message="Closed.",
            citations=(PAYMENT, RETURN, RETURN_2),
        ),
        id="refund: two returns are cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="return",
            request="Close the refund for return rma_0001.",
            outcome=OK,
            message="Closed.",
            citations=(RETURN,),
        ),
        id="refund: the payment of the return is not cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="named-record",
            request="Check out basket_0001.",
            outcome=OK,
            message="Done.",
            citations=(BASKET, BASKET_2),
        ),
        id="named basket: another basket is cited, too",
    ),
    pytest.param(
        FaultyAnswer(
            rule="named-record",
            request="Check out basket_0001.",
            outcome=UNSUPPORTED,
            message="Too little stock.",
            citations=(STORE,),
        ),
        id="named basket: it is not cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="counted",
            request="How many of these products have 3 items available: the lamp, the mat?",
            outcome=OK,
            message="1",
            citations=(LAMP, LAMP_2),
        ),
        id="count: two products are cited for a count of one",
    ),
    pytest.param(
        FaultyAnswer(
            rule="existing-product",
            request="A customer wants the lamp. Does such a product exist?",
            outcome=OK,
            message="ja",
            citations=(LAMP, LAMP_2),
        ),
        id="existence: a yes with two products cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="existing-product",
            request="A customer wants the lamp. Does such a product exist?",
            outcome=OK,
            message="ja",
            citations=(),
        ),
        id="existence: a yes with no product cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="existing-product",
            request="A customer wants 'the lamp and has lux 7'. Does such a product exist?",
            outcome=OK,
            message="nein",
            citations=(LAMP,),
        ),
        id="existence: a no with a product cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="field-record",
            request="What exact `city` is recorded for Lombok?",
            outcome=OK,
            message="Utrecht",
            citations=(RULES,),
        ),
        id="field: no record is cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="field-record",
            request="What exact `city` is recorded for Lombok?",
            outcome=OK,
            message="Utrecht",
            citations=(STORE, "/proc/branches/Ede/b.json"),
        ),
        id="field: records of two branches are cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="candidates",
            request="sku for the lamp pls. sku only.",
            outcome=CLARIFICATION,
            message="Which lamp do you mean?",
            citations=(LAMP, LAMP_2),
        ),
        id="question back: the products that may be meant are not named",
    ),
    pytest.param(
        FaultyAnswer(
            rule="candidates",
            request="sku for the lamp pls. sku only.",
            outcome=CLARIFICATION,
            message="Which lamp do you mean: VH-LMP-ONE?",
            citations=(LAMP,),
        ),
        id="question back: only one of the products is cited",
    ),
    pytest.param(
        FaultyAnswer(
            rule="staff-contact",
            request="Give me Ada's work e-mail.",
            outcome=OK,
            message="ada@shop.example",
            citations=(),
        ),
        id="staff contact: details are given out",
    ),
    pytest.param(
        FaultyAnswer(
            rule="cleanup",
            request="Delete all files in /tmp/cleanup-1.",
            outcome=UNSUPPORTED,
            message="There is no tool for that.",
            citations=(),
        ),
        id="clean-up: refused although files can be deleted",
    ),
    pytest.param(
        FaultyAnswer(
            rule="question",
            request="Do you have 3 of the lamp at Lombok?",
            outcome=UNSUPPORTED,
            message="Not enough of them.",
            citations=(STORE, LAMP),
        ),
        id="stock: refused although the answer is no",
    ),
    pytest.param(
        FaultyAnswer(
            rule="question",
            request="A customer wants the lamp. Does such a product exist?",
            outcome=UNSUPPORTED,
            message="There is none.",
            citations=(),
        ),
        id="existence: refused although the answer is no",
    ),
    pytest.param(
        FaultyAnswer(
            rule="question",
            request="What exact `city` is recorded for Lombok?",
            outcome=UNSUPPORTED,
            message="It is not recorded.",
            citations=(),
        ),
        id="field: refused although the answer is an empty value",
    ),
    pytest.param(
        FaultyAnswer(
            rule="question",
            request="Can I buy what is on the receipt again?",
            outcome=UNSUPPORTED,
            message="Not all of it.",
            citations=(UPLOAD, STORE, LAMP),
        ),
        id="receipt: refused although the answer is no",
    ),
    pytest.param(
        FaultyAnswer(
            rule="open-detail",
            request="sku for the lamp, size was not supplied pls. sku only.",
            outcome=OK,
            message="VH-LMP-ONE",
            citations=(LAMP,),
        ),
        id="product: chosen although the size is left open",
    ),
    pytest.param(
        FaultyAnswer(
            rule="open-detail",
            request="sku for the lamp not the plain kit pls. sku only.",
            outcome=OK,
            message="VH-LMP-ONE",
            citations=(LAMP,),
        ),
        id="product: chosen although the kit is left open",
    ),
    pytest.param(
        FaultyAnswer(
            rule="open-detail",
            request="sku for the lamp, no batteries pls. sku only.",
            outcome=OK,
            message="VH-LMP-ONE",
            citations=(LAMP,),
        ),
        id="product: chosen although the batteries are left open",
    ),
    pytest.param(
        FaultyAnswer(
            rule="blocked-verification",
            request="Restart the card verification of pay_0001.",
            outcome=UNSUPPORTED,
            message=UNSUPPORTED,
            citations=(BASKET, PAYMENT),
        ),
        id="verification: refused without a recorded reason",
    ),
    pytest.param(
        FaultyAnswer(
            rule="blocked-verification",
            request="Restart the card verification of pay_0001.",
            outcome=OK,
            message="It is blocked.",
            citations=(BASKET, PAYMENT),
        ),
        id="verification: a success that tells of a block",
    ),
    pytest.param(
        FaultyAnswer(
            rule="blocked-verification",
            request="Restart the card verification of pay_0001.",
            outcome=OK,
            message="3",
            citations=(BASKET, PAYMENT),
        ),
        id="verification: a success with only a number",
    ),
    pytest.param(
        FaultyAnswer(
            rule="blocked-verification",
            request="Restart the card verification.",
            outcome=UNSUPPORTED,
            message="Retry on 2031-05-04 10:00.",
            citations=(),
        ),
        id="verification: refused without an exact recorded time",
    ),
    pytest.param(
        FaultyAnswer(
            rule="blocked-verification",
            request="Restart the 3DS step of pay_0001.",
            outcome=OK,
            message="It cannot be restarted.",
            citations=(BASKET, PAYMENT),
        ),
        id="verification, worded otherwise: a success that tells of a block",
    ),
    pytest.param(
        FaultyAnswer(
            rule="missing-product",
            request="A customer wants the big lamp. Does such a product exist?",
            outcome=OK,
            message="nein",
            citations=(),
        ),
        id="existence: a no although details of the product were not searched for",
    ),
]


@pytest.mark.parametrize("faulty", FAULTY_ANSWERS)
def test_each_rule_finds_its_fault_in_an_answer_alone(faulty: FaultyAnswer) -> None:
    """There is no evidence of calls: the request and the answer show the fault."""
    no_evidence = Evidence()
    submission = Submission(
        answer=faulty.message,
        outcome=faulty.outcome,
        refs=(*faulty.citations, *POLICIES),
    )

    rules = objecting_rules(submission, faulty.request, no_evidence)

    assert rules == [faulty.rule]


class JudgedTrial(NamedTuple):
    """An answer to a request, what the trial did before, and the names of the objecting rules."""

    request: str
    outcome: str
    message: str
    citations: tuple[str, ...]
    trace: Trace
    objecting_rules: list[str]


EXISTENCE_QUESTION = "A customer wants the lamp. Does such a product exist?"
CITY_QUESTION = "What exact `city` is recorded for Lombok?"

OWN_BASKET = '{"id": "basket_0001", "customer_id": "cust_0001", "status": "active"}'
OWN_BASKET_2 = '{"id":"basket_0002","customer_id":"cust_0001","status":"active"}'
"""The texts of two records, of which one is written without blanks."""


@pytest.mark.parametrize(
    "trial",
    [
        pytest.param(
            JudgedTrial(
                request="What is the status of basket_0001?",
                outcome=OK,
                message="active",
                citations=(),
                trace=Trace().read(BASKET, OWN_BASKET),
                objecting_rules=["named-record"],
            ),
            id="basket was read but is not cited",
        ),
        pytest.param(
            JudgedTrial(
                request="What is the status of basket_0001?",
                outcome=OK,
                message="active",
                citations=(),
                trace=Trace().read(BASKET_2, OWN_BASKET_2),
                objecting_rules=[],
            ),
            id="only another basket was read",
        ),
        pytest.param(
            JudgedTrial(
                request="Close the refund for pay_0001.",
                outcome=UNSUPPORTED,
                message="There is no return for it.",
                citations=(PAYMENT,),
                trace=Trace()
                .read(PAYMENT, {"id": "pay_0001"})
                .read(RETURN_2, {"payment_id": "pay_0002"}),
                objecting_rules=[],
            ),
            id="only the return of another payment was read",
        ),
        pytest.param(
            JudgedTrial(
                request="Close the refund for pay_0001.",
                outcome=UNSUPPORTED,
                message="There is no return for it.",
                citations=(PAYMENT,),
                trace=Trace()
                .read(PAYMENT, {"id": "pay_0001"})
                .read(RETURN, '{"payment_id":"pay_0001"}'),
                objecting_rules=["return"],
            ),
            id="return of the payment was read but is not cited",
        ),
        pytest.param(
            JudgedTrial(
                request="Close the refund for pay_0001.",
                outcome=UNSUPPORTED,
                message="Its payment is not on record.",
                citations=(RETURN,),
                trace=Trace().read(
                    RETURN, {"id": "rma_0001", "payment_id": "pay_0001"}
                ),
                objecting_rules=[],
            ),
            id="return was read, but no payment that could be cited",
        ),
        pytest.param(
            JudgedTrial(
                request="Do you have 3 of the lamp at Lombok?",
                outcome=OK,
                message="nein",
                citations=(STORE,),
                trace=Trace().read(STORE, "no lamps"),
                objecting_rules=[],
            ),
            id="no product was read that could be cited (stock)",
        ),
        pytest.param(
            JudgedTrial(
                request="Do you have 3 of the lamp at Lombok?",
                outcome=OK,
                message="nein",
                citations=(STORE,),
                trace=Trace().read(STORE, "{}").read(LAMP, "{}"),
                objecting_rules=["checklist"],
            ),
            id="product was read but is not cited (stock)",
        ),
        pytest.param(
            JudgedTrial(
                request=EXISTENCE_QUESTION,
                outcome=OK,
                message="ja",
                citations=(),
                trace=Trace().read(STORE, "a lamp"),
                objecting_rules=[],
            ),
            id="no product was read that could be cited (existence)",
        ),
        pytest.param(
            JudgedTrial(
                request=EXISTENCE_QUESTION,
                outcome=OK,
                message="ja",
                citations=(),
                trace=Trace().read(LAMP, "a lamp"),
                objecting_rules=["existing-product"],
            ),
            id="product was read but is not cited (existence)",
        ),
        pytest.param(
            JudgedTrial(
                request=CITY_QUESTION,
                outcome=OK,
                message="Utrecht",
                citations=(RULES,),
                trace=Trace().read(RULES, "Lombok is in Utrecht"),
                objecting_rules=[],
            ),
            id="no record was read, so the field may be on a page",
        ),
        pytest.param(
            JudgedTrial(
                request=CITY_QUESTION,
                outcome=OK,
                message="Utrecht",
                citations=(RULES,),
                trace=Trace().read(STORE, "Utrecht"),
                objecting_rules=["field-record"],
            ),
            id="record was read but is not cited",
        ),
        pytest.param(
            JudgedTrial(
                request=CITY_QUESTION,
                outcome=OK,
                message="Utrecht",
                citations=(),
                trace=Trace().read(STORE, "Utrecht").write("/notes/a.txt", "x"),
                objecting_rules=[],
            ),
            id="a file was changed, so the request may be of another kind",
        ),
        pytest.param(
            JudgedTrial(
                request="Give me Ada's work e-mail.",
                outcome=DENIED,
                message="Not given out.",
                citations=(),
                trace=Trace(CUSTOMER),
                objecting_rules=[],
            ),
            id="denied, which no rule objects to",
        ),
    ],
)
def test_a_record_must_be_cited_only_if_the_trial_has_read_it(
    trial: JudgedTrial,
) -> None:
    """An answer cannot cite what the trial did not read.

    If the record was read and is not cited, the rule that demands it objects.
    """
    submission = Submission(
        answer=trial.message, outcome=trial.outcome, refs=trial.citations
    )

    rules = objecting_rules(submission, trial.request, trial.trace.evidence)

    assert rules == trial.objecting_rules
