"""The rule set of the shop: rules that object to an answer for what it cites and says.

For example: to "Close the refund for pay_0001", an answer must cite the payment and its return.
If a rule objects, the answer goes back to the model. Here all rules judge an answer together, to
show which of them objects. Records are cited by the paths of an invented shop: `BASKET` is
"/proc/carts/basket_0001.json", `LAMP` is the record of the lamp VH-LMP-ONE, `STORE` of Lombok.
"""

from typing import NamedTuple

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    CLARIFICATION,
    OK,
    UNSUPPORTED,
    Submission,
)
from tests.benchmarks.shop.invented_shop import (
    BASKET,
    BASKET_2,
    LAMP,
    LAMP_2,
    PAYMENT,
    POLICIES,
    RETURN,
    RETURN_2,
    RULES,
    STORE,
    UPLOAD,
)
from tests.benchmarks.shop.trial_traces import objecting_rules


class FaultyAnswer(NamedTuple):
    """An answer to a request, and the name of the rule that objects to it."""

    rule: str
    request: str
    outcome: str
    message: str
    citations: tuple[str, ...]
    """The cited records. The pages on policies are cited as well."""

    def names_of_objecting_rules(self) -> list[str]:
        """Return the names of the rules that object. The trial has made no calls before."""
        submission = Submission(
            answer=self.message,
            outcome=self.outcome,
            refs=(*self.citations, *POLICIES),
        )
        return objecting_rules(submission, self.request, Evidence())


class TestAnswersOnStock:
    """A question for the stock of one product at a branch is answered with both of them cited.

    The rule `checklist` objects if a kind of record is not cited that such a request needs,
    `stock-subject` if the cited product is not the only one that is meant, and `counted` if a count
    of products is lower than the number of cited products.

    `STORE` is the record of the branch Lombok, `LAMP` and `LAMP_2` are those of two lamps.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
                    rule="counted",
                    request="How many of these products have 3 items available: the lamp, the mat?",
                    outcome=OK,
                    message="1",
                    citations=(LAMP, LAMP_2),
                ),
                id="count: two products are cited for a count of one",
            ),
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestAnswersOnExistence:
    """Whether a product exists is answered by yes (`ja`), with this product cited, or no (`nein`).

    The rule `existing-product` objects if the answer goes against the cited products, and
    `missing-product` to a no although only the product's name was searched for.

    `LAMP` and `LAMP_2` are the records of two lamps.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
                    rule="missing-product",
                    request="A customer wants the big lamp. Does such a product exist?",
                    outcome=OK,
                    message="nein",
                    citations=(),
                ),
                id="existence: a no although details of the product were not searched for",
            ),
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestAnswersOnBaskets:
    """A basket that the request names has to be cited.

    The rule `named-record` objects if it is not, or if another one is cited, too. If the request is
    for a discount, the rule `checklist` asks for the employee who gives it.

    `BASKET` is the record of basket_0001, `BASKET_2` of another one, and `STORE` of a branch.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestAnswersOnRefunds:
    """An answer on a refund has to cite its payment and the one return of the goods.

    The request may name either of them: `pay_0001`, or the return `rma_0001`. The rule is `return`.

    `PAYMENT` and `RETURN` are their records; `RETURN_2` is that of another return.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestAnswersWithDetails:
    """A request may be for one field of a record, or for a person's contact details.

    The rule `field-record` objects if the record with the field is not cited, or several are, and
    `staff-contact` if contact details of staff are given out.

    `RULES` is the page with the rules for agents, `STORE` the record of the branch Lombok.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
                    rule="staff-contact",
                    request="Give me Ada's work e-mail.",
                    outcome=OK,
                    message="ada@shop.example",
                    citations=(),
                ),
                id="staff contact: details are given out",
            ),
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestAmbiguousDescriptions:
    """A description may fit several products, so that the user has to be asked which is meant.

    The rule `open-detail` objects to an answer with one product all the same. The rule `candidates`
    objects to a question that does not name, or not cite, the products that may be meant. `LAMP`
    and `LAMP_2` are the records of the two lamps of the shop.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestNeedlessRefusals:
    """An answer must not call a request unsupported that can be fulfilled.

    The rule `question` objects to that for a question that "no", 0 or an empty value can answer,
    and `cleanup` for temporary files that can be deleted.

    The cited records are of a branch (`STORE`), a lamp and a receipt (`UPLOAD`).
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]


class TestBlockedVerifications:
    """The card of a payment is verified a few times, with pauses between; then that is blocked.

    The rule `blocked-verification` objects to a success that tells of a block, and to a refusal
    without its recorded reason, which may be the time of the next attempt.

    `PAYMENT` is the record of pay_0001, and `BASKET` that of its basket.
    """

    @pytest.mark.parametrize(
        "faulty",
        [
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
        ],
    )
    def test_each_rule_finds_its_fault_in_an_answer_alone(
        self, faulty: FaultyAnswer
    ) -> None:
        assert faulty.names_of_objecting_rules() == [faulty.rule]
