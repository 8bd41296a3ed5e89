"""The rule set of the shop judges an answer together with what the trial has read and changed.

    trial:    reads the basket `/proc/carts/basket_0001.json`
    answer:   "active", to "What is the status of basket_0001?", with nothing cited
    objects:  the rule `named-record`, since the basket was read and is not cited

A test writes what was read as a trace: `Trace().read(BASKET, '{"id": "basket_0001", ...}')`.
"""

from typing import NamedTuple

import pytest

from controlplane.gates.submission import (
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
    PAYMENT,
    RETURN,
    RETURN_2,
    RULES,
    STORE,
)
from tests.benchmarks.shop.trial_traces import Trace, objecting_rules


class JudgedTrial(NamedTuple):
    """An answer to a request, what the trial did before, and the rules that object then."""

    request: str
    outcome: str
    message: str
    citations: tuple[str, ...]
    trace: Trace
    expected_rules: list[str]

    def names_of_objecting_rules(self) -> list[str]:
        submission = Submission(
            answer=self.message, outcome=self.outcome, refs=self.citations
        )
        return objecting_rules(submission, self.request, self.trace.evidence)


OWN_BASKET = '{"id": "basket_0001", "customer_id": "cust_0001", "status": "active"}'
OWN_BASKET_2 = '{"id":"basket_0002","customer_id":"cust_0001","status":"active"}'


class TestReadBaskets:
    """A basket that the request names must be cited only if the trial has read it.

    An answer cannot cite what the trial did not read.

    `OWN_BASKET` is the text of the record `BASKET`; `OWN_BASKET_2`, that of another one,
    is written without blanks.
    """

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
                    expected_rules=["named-record"],
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
                    expected_rules=[],
                ),
                id="only another basket was read",
            ),
        ],
    )
    def test_a_record_must_be_cited_only_if_the_trial_has_read_it(
        self, trial: JudgedTrial
    ) -> None:
        assert trial.names_of_objecting_rules() == trial.expected_rules


class TestReadReturns:
    """The return of a payment must be cited only if the trial has read it.

    A return names its payment: `{"id": "rma_0001", "payment_id": "pay_0001"}`. Some records are
    written without blanks, and the rule must find the payment in them all the same.

    `PAYMENT` is the record of pay_0001, `RETURN` of its return, and `RETURN_2` of another one.
    """

    @pytest.mark.parametrize(
        "trial",
        [
            pytest.param(
                JudgedTrial(
                    request="Close the refund for pay_0001.",
                    outcome=UNSUPPORTED,
                    message="There is no return for it.",
                    citations=(PAYMENT,),
                    trace=Trace()
                    .read(PAYMENT, {"id": "pay_0001"})
                    .read(RETURN_2, {"payment_id": "pay_0002"}),
                    expected_rules=[],
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
                    expected_rules=["return"],
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
                    expected_rules=[],
                ),
                id="return was read, but no payment that could be cited",
            ),
        ],
    )
    def test_a_record_must_be_cited_only_if_the_trial_has_read_it(
        self, trial: JudgedTrial
    ) -> None:
        assert trial.names_of_objecting_rules() == trial.expected_rules


class TestReadProducts:
    """A product that is asked for must be cited only if the trial has read it.

    The questions are for its stock at a branch, which is read and cited, and whether it exists.

    `STORE` is the record of the branch, and `LAMP` that of the lamp.
    """

    @pytest.mark.parametrize(
        "trial",
        [
            pytest.param(
                JudgedTrial(
                    request="Do you have 3 of the lamp at Lombok?",
                    outcome=OK,
                    message="nein",
                    citations=(STORE,),
                    trace=Trace().read(STORE, "no lamps"),
                    expected_rules=[],
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
                    expected_rules=["checklist"],
                ),
                id="product was read but is not cited (stock)",
            ),
            pytest.param(
                JudgedTrial(
                    request="A customer wants the lamp. Does such a product exist?",
                    outcome=OK,
                    message="ja",
                    citations=(),
                    trace=Trace().read(STORE, "a lamp"),
                    expected_rules=[],
                ),
                id="no product was read that could be cited (existence)",
            ),
            pytest.param(
                JudgedTrial(
                    request="A customer wants the lamp. Does such a product exist?",
                    outcome=OK,
                    message="ja",
                    citations=(),
                    trace=Trace().read(LAMP, "a lamp"),
                    expected_rules=["existing-product"],
                ),
                id="product was read but is not cited (existence)",
            ),
        ],
    )
    def test_a_record_must_be_cited_only_if_the_trial_has_read_it(
        self, trial: JudgedTrial
    ) -> None:
        assert trial.names_of_objecting_rules() == trial.expected_rules


class TestReadFields:
    """The record with a field that is asked for must be cited only if the trial has read it.

    The field may also be on a page, such as the rules for agents. If the trial has changed a file,
    the request was more than a question. To a denial no rule objects.

    `STORE` is the record of the branch Lombok, and `RULES` the page with the rules for agents.
    """

    @pytest.mark.parametrize(
        "trial",
        [
            pytest.param(
                JudgedTrial(
                    request="What exact `city` is recorded for Lombok?",
                    outcome=OK,
                    message="Utrecht",
                    citations=(RULES,),
                    trace=Trace().read(RULES, "Lombok is in Utrecht"),
                    expected_rules=[],
                ),
                id="no record was read, so the field may be on a page",
            ),
            pytest.param(
                JudgedTrial(
                    request="What exact `city` is recorded for Lombok?",
                    outcome=OK,
                    message="Utrecht",
                    citations=(RULES,),
                    trace=Trace().read(STORE, "Utrecht"),
                    expected_rules=["field-record"],
                ),
                id="record was read but is not cited",
            ),
            pytest.param(
                JudgedTrial(
                    request="What exact `city` is recorded for Lombok?",
                    outcome=OK,
                    message="Utrecht",
                    citations=(),
                    trace=Trace().read(STORE, "Utrecht").write("/notes/a.txt", "x"),
                    expected_rules=[],
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
                    expected_rules=[],
                ),
                id="denied, which no rule objects to",
            ),
        ],
    )
    def test_a_record_must_be_cited_only_if_the_trial_has_read_it(
        self, trial: JudgedTrial
    ) -> None:
        assert trial.names_of_objecting_rules() == trial.expected_rules
