"""What the rules of the shop's rule set and the pre-call check object to, and what they let pass.

An answer cites the products and records that it is about, and no others of their kind. What has an
answer is not refused, and success is not reported for a change or step that was not made. Nothing
is told before the day of an embargo, or to a user who lacks the role. An export of stock must fit
the shop's records. Functions tell of failed calls and truncated results.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import re2

from controlplane.benchmarks.shop import requests, rule_set
from controlplane.benchmarks.shop.requests import (
    BUY_AGAIN,
    CHECKOUT,
    DISCOUNT,
    FIELD,
    RECEIPT,
    REFUND,
    SEVERAL,
    STAFF_CONTACT,
    STOCK_OF_ONE,
    VERIFICATION,
    RequestKind,
    Wording,
)
from controlplane.benchmarks.shop.rule_set import (
    CLEANUP,
    CONSTRAINT,
    DETAIL_LEFT_OPEN,
    EXISTENCE,
    EXPORT,
    SKU_WANTED,
    embargo,
    lacking_role,
    pre_call_check,
    staff_contact,
    unmade_step,
)
from controlplane.benchmarks.shop.workspace.reading import (
    WorkspaceReader,
    possible_tools,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.sandbox.functions import CannotRead
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.outcomes import (
    CLARIFICATION,
    DENIED,
    OK,
    UNSUPPORTED,
)
from tests.benchmarks.shop.checked_calls import judge_call
from tests.benchmarks.shop.functions.goods_records import branch, tarp, written_shop
from tests.benchmarks.shop.invented_shop import POLICIES
from tests.benchmarks.shop.trial_traces import Trace, objecting_rules
from tests.gates.judged_scratchpads import ScriptedVerify

# Judges an answer by all rules of the shop's rule set, to show which of them objects.
#
#     rules_against("Do you have 3 of the lamp at Lombok?", "ja", cites=["/proc/articles/VH-LMP-ONE.json"])
#     # ["checklist"]: the record of the branch Lombok is not cited
#
# The records are of an invented shop, and need not exist.


def rules_against(
    request: str, answer: str, *, cites: Sequence[str], outcome: str = OK
) -> list[str]:
    """Return the names of the rules that object; empty if none does.

    The answer also cites all pages on policies, so that it misses none. The trial has made no
    calls before, so that only the answer is judged.
    """
    submission = Submission(answer=answer, outcome=outcome, refs=(*cites, *POLICIES))
    return objecting_rules(submission, request, Evidence())


# What one rule of the shop's rule set says against an answer, after the calls of a trial.
#
# trace = Trace("user: cust_0001\nroles: customer").read("/docs/a.md", "text")
# objection(unmade_step, trace, "It is done.", cited=("/docs/a.md",))    # "", if it has none

ANY_CASE = Case(
    "Do it.",
    rules="Answer a question of yes or no with `ja` or `nein`.",
    rules_path="/AGENTS.MD",
)
"""A request, and the shop's rules for agents, for tests of rules that look at neither."""


def objection(
    rule: Rule,
    trace: Trace,
    answer: str,
    *,
    cited: tuple[str, ...] = (),
    outcome: str = OK,
    case: Case = ANY_CASE,
) -> str:
    """Return the text with which a rule objects to an answer; empty if it does not object."""
    reason_by_cited_path = dict.fromkeys(cited, "what was read there")
    scratchpad = {
        "answer": answer,
        "outcome": outcome,
        "refs_why": reason_by_cited_path,
    }
    # A script also hands over a function that checks the answer. Rules do not look at it.
    check_of_script = ScriptedVerify().probe
    submission = Submission.from_scratchpad(scratchpad, check_of_script)

    opinion = rule.fault_of(submission, trace.evidence, case)
    cannot_judge = isinstance(opinion, Inapplicable)
    if opinion is None or cannot_judge:
        return ""
    return str(opinion)


# A harness, by which functions make calls to a shop, whose outcomes the test has chosen.
#
# harness = HarnessWithOutcomes({("read", "/a.md"): {"content": "text"}})
# WorkspaceReader(harness).read("/a.md")  # "text"
# harness.batches                         # [["read"]]


class HarnessWithOutcomes:
    """Answers each call with an outcome, by its operation and first argument.

    An outcome is a result or a `CallError`. A list has one for each time that the call is made.
    """

    def __init__(self, outcomes: Mapping[tuple[str, str], Any]) -> None:
        self.known = ()  # The trial has made no calls before.
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches: list[list[str]] = []
        """The operations of the calls that were made together: `[["read", "read"], ["exec"]]`."""

    def side_by_side(self, calls: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
        """Return the outcomes of calls such as `[("read", {"path": "/a.md"})]`."""
        self.batches.append([operation for operation, _ in calls])
        results = []
        for operation, arguments in calls:
            first_argument, *_ = arguments.values()
            outcome = self.outcomes[operation, first_argument]
            if isinstance(outcome, list):
                outcome = outcome.pop(0)
            results.append(outcome)
        return results


# What the pre-call check says of an export of stock, which a script is about to write.
#
# The shop has one branch, and it is 2028-05-01. Tomorrow, 12 units of TARP-RED arrive. So this is right:
#
#     SKU,2028-05-01,2028-05-02       units that can be sold today, and units that arrive tomorrow
#     TARP-BLUE,7,0
#     TARP-RED,4,12
#     TARP-SAND,2,0

STOCK_PAGE = "`/bin/availability` counts. A delivery has `arrival_in_days`."


def check_of_export(export: str) -> Mapping[str, Any]:
    """Return what the check says of an export: `{"value": OBJECTION, ...}`.

    With `TARP-SAND,6,0`, the objection is "... line 3: `2028-05-01` is '6', and the records give
    '2' ...". Lines are counted without the header.
    """
    graz = branch("store-1", "Graz", {"TARP-BLUE": 7, "TARP-RED": 4, "TARP-SAND": 2})
    _blue_row, red_row, _sand_row = graz["inventory"]
    red_row["incoming"] = [{"quantity": 12, "arrival_in_days": 1}]
    shop = written_shop(
        {
            "/docs/stock.md": STOCK_PAGE,
            "/proc/catalogue/TARP-BLUE.json": tarp("TARP-BLUE"),
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED"),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": graz,
        }
    )
    return judge_call(shop, "write", {"path": "/exports/stock.csv", "content": export})


# The rule `existing-product`: the answer that the shop sells a product must cite one product.
#
# The shop answers yes with `ja`. It has two lamps, VH-LMP-ONE and VH-LMP-TWO. If a yes cites both, it
# leaves open which one fits. `rules_against` returns the names of the rules that object to an answer.

LAMP_ONE = "/proc/articles/VH-LMP-ONE.json"
LAMP_TWO = "/proc/articles/VH-LMP-TWO.json"
BRANCH = "/proc/branches/Utrecht/store_utr_lombok.json"


def test_a_yes_that_cites_no_product_is_objected_to() -> None:
    request = "A customer wants the lamp. Does such a product exist?"

    assert rules_against(request, "ja", cites=[]) == ["existing-product"]


@pytest.mark.parametrize(
    ("request_text", "cited_paths"),
    [
        pytest.param(
            "A customer wants the lamp. Does such a product exist?",
            [LAMP_ONE, LAMP_TWO],
            id="asked whether a product exists",
        ),
        pytest.param(
            "Is the lamp there, with cells or a plug?",
            [BRANCH, LAMP_ONE, LAMP_TWO],
            id="asked whether a branch has one of two lamps, and the branch is cited as well",
        ),
    ],
)
def test_a_yes_that_cites_two_products_is_objected_to(
    request_text: str, cited_paths: list[str]
) -> None:
    rules = rules_against(request_text, "ja", cites=cited_paths)

    assert rules == ["existing-product"]


def test_a_yes_that_cites_one_product_is_not_objected_to() -> None:
    request = "A customer wants the lamp. Does such a product exist?"

    assert rules_against(request, "ja", cites=[LAMP_ONE]) == []


# If several products fit a description, the answer must ask which is meant, and not choose one.
#
# The shop has two lamps, VH-LMP-ONE and VH-LMP-TWO, and somebody asks for the SKU of "the lamp". The
# question must name and cite both, or the rule `candidates` objects.
#
# The request may show that its asker has not said everything: "size was not supplied". "Not the plain
# kit" and "no batteries" say only what the product is not. Then the rule `open-detail` objects to an
# answer with one product.


@pytest.mark.parametrize(
    ("question", "cited_products"),
    [
        pytest.param(
            "Which lamp do you mean?",
            ["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
            id="the products are not named",
        ),
        pytest.param(
            "Which lamp do you mean: VH-LMP-ONE?",
            ["/proc/articles/VH-LMP-ONE.json"],
            id="only one of the products is cited",
        ),
    ],
)
def test_a_question_to_the_user_names_and_cites_the_products(
    question: str, cited_products: list[str]
) -> None:
    rules = rules_against(
        "sku for the lamp pls. sku only.",
        question,
        cites=cited_products,
        outcome=CLARIFICATION,
    )

    assert rules == ["candidates"]


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param(
            "sku for the lamp, size was not supplied pls. sku only.",
            id="a detail is missing",
        ),
        pytest.param(
            "sku for the lamp not the plain kit pls. sku only.", id="not this product"
        ),
        pytest.param(
            "sku for the lamp, no batteries pls. sku only.", id="without a part"
        ),
    ],
)
def test_a_product_is_not_chosen_if_the_request_leaves_something_open(
    request_text: str,
) -> None:
    rules = rules_against(
        request_text, "VH-LMP-ONE", cites=["/proc/articles/VH-LMP-ONE.json"]
    )

    assert rules == ["open-detail"]


# An answer that the shop does not sell a product cites no product, and comes after a wide search.
#
# The shop answers no with `nein`. `rules_against` returns the names of the rules that object to an
# answer.


def test_a_no_that_cites_a_product_is_objected_to() -> None:
    request = "A customer wants 'the lamp and has lux 7'. Does such a product exist?"
    lamp = "/proc/articles/VH-LMP-ONE.json"

    assert rules_against(request, "nein", cites=[lamp]) == ["existing-product"]


def test_a_no_to_a_mere_name_is_objected_to() -> None:
    """The shop may sell the lamp by another name, and nothing shows that it was searched for.

    If the request required a property, such as lux 7, a no could be certain.
    """
    request = "A customer wants the big lamp. Does such a product exist?"

    assert rules_against(request, "nein", cites=[]) == ["missing-product"]


# The rule `blocked-verification`: an answer with the outcome OK must not tell of a block.
#
# A request asks to restart the verification of a payment's card. If that is not possible (yet), it is
# blocked, and the right outcome is another one than OK. So the rule objects to an OK whose text says
# that the verification is blocked. `rules_against` returns the names of the rules that object.


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        pytest.param(
            "Restart the card verification of pay_0001.",
            "It is blocked.",
            id="blocked",
        ),
        pytest.param(
            "Restart the 3DS step of pay_0001.",
            "It cannot be restarted.",
            id="cannot be restarted, and another wording of the request",
        ),
        pytest.param(
            "Restart the card verification of pay_0001.",
            "3",
            id="a number: the limit of attempts, which was reached",
        ),
    ],
)
def test_an_ok_that_tells_of_a_block_is_objected_to(
    request_text: str, answer: str
) -> None:
    rules = rules_against(request_text, answer, cites=[], outcome=OK)

    assert rules == ["blocked-verification"]


# A request to delete temporary files must not be refused: no tool of the shop is needed for that.
#
# The outcome UNSUPPORTED says that the shop cannot do what is asked. `rules_against` returns the rules
# that object to an answer: `["cleanup"]` here.


def test_temporary_files_can_be_deleted() -> None:
    """A request to delete them must not be refused, either; another rule objects."""
    assert rules_against(
        "Delete all files in /tmp/cleanup-1.",
        "There is no tool for that.",
        cites=[],
        outcome=UNSUPPORTED,
    ) == ["cleanup"]


# A question that "no", 0 or an empty value can answer must not be refused.
#
# The outcome UNSUPPORTED says that the shop cannot do what is asked. `rules_against` returns the rules
# that object to an answer: `["question"]`, if it refuses "Does such a product exist?".


@pytest.mark.parametrize(
    ("request_text", "answer", "cited_records"),
    [
        pytest.param(
            "Do you have 3 of the lamp at Lombok?",
            "Not enough of them.",
            [
                "/proc/branches/Utrecht/store_utr_lombok.json",
                "/proc/articles/VH-LMP-ONE.json",
            ],
            id="stock: the answer is no",
        ),
        pytest.param(
            "A customer wants the lamp. Does such a product exist?",
            "There is none.",
            [],
            id="existence: the answer is no",
        ),
        pytest.param(
            "What exact `city` is recorded for Lombok?",
            "It is not recorded.",
            [],
            id="field: the answer is an empty value",
        ),
        pytest.param(
            "Can I buy what is on the receipt again?",
            "Not all of it.",
            [
                "/uploads/aa_receipt.txt",
                "/proc/branches/Utrecht/store_utr_lombok.json",
                "/proc/articles/VH-LMP-ONE.json",
            ],
            id="receipt: the answer is no",
        ),
    ],
)
def test_a_question_that_has_an_answer_is_not_refused(
    request_text: str, answer: str, cited_records: list[str]
) -> None:
    assert rules_against(
        request_text, answer, cites=cited_records, outcome=UNSUPPORTED
    ) == ["question"]


# A refusal to verify the card of a payment once more must have its recorded reason.
#
# A card is verified a few times, with pauses between; then that is blocked. The reason may be the time of
# the next attempt. The rule `blocked-verification` objects to a refusal without it.


def test_a_refusal_has_a_recorded_reason() -> None:
    """The answer is only the name of its outcome."""
    rules = rules_against(
        "Restart the card verification of pay_0001.",
        UNSUPPORTED,
        cites=[],
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]


def test_a_refusal_has_the_exact_recorded_time() -> None:
    """No record that was read has this time."""
    rules = rules_against(
        "Restart the card verification.",
        "Retry on 2031-05-04 10:00.",
        cites=[],
        outcome=UNSUPPORTED,
    )

    assert rules == ["blocked-verification"]


# An answer with a field of a record must cite exactly this record, and may not be about staff.
#
#     "What exact `city` is recorded for Lombok?"    needs the record of the branch Lombok
#     "Give me Ada's work e-mail."                   is not given out
#
# `rules_against` returns the rules of the shop's rule set that object: `["field-record"]`, for example.


@pytest.mark.parametrize(
    "cited_files",
    [
        pytest.param(["/AGENTS.MD"], id="no record"),
        pytest.param(
            [
                "/proc/branches/Utrecht/store_utr_lombok.json",
                "/proc/branches/Ede/b.json",
            ],
            id="records of two branches",
        ),
    ],
)
def test_a_field_is_answered_with_its_record(cited_files: list[str]) -> None:
    rules = rules_against(
        "What exact `city` is recorded for Lombok?", "Utrecht", cites=cited_files
    )

    assert rules == ["field-record"]


def test_an_address_of_staff_is_not_given_out() -> None:
    rules = rules_against(
        "Give me Ada's work e-mail.", "ada@shop.example", cites=[], outcome=OK
    )

    assert rules == ["staff-contact"]


# An answer must cite the records that the request names or needs, and no others of their kind.
#
# `rules_against` returns the rules of the shop's rule set that object to an answer: `["named-record"]`, if
# it cites basket_0002 although the request names basket_0001.


def test_another_basket_is_cited_too() -> None:
    rules = rules_against(
        "Check out basket_0001.",
        "Done.",
        cites=["/proc/carts/basket_0001.json", "/proc/carts/basket_0002.json"],
    )

    assert rules == ["named-record"]


def test_the_named_basket_is_not_cited() -> None:
    rules = rules_against(
        "Check out basket_0001.",
        "Too little stock.",
        cites=["/proc/branches/Utrecht/store_utr_lombok.json"],
        outcome=UNSUPPORTED,
    )

    assert rules == ["named-record"]


@pytest.mark.parametrize(
    ("request_text", "cited_records"),
    [
        pytest.param(
            "Close the refund for pay_0001.",
            ["/proc/ledger/cust_0001/pay_0001.json"],
            id="no return is cited",
        ),
        pytest.param(
            "Close the refund for pay_0001.",
            [
                "/proc/ledger/cust_0001/pay_0001.json",
                "/proc/return-cases/cust_0001/rma_0001.json",
                "/proc/return-cases/cust_0001/rma_0002.json",
            ],
            id="two returns are cited",
        ),
        pytest.param(
            "Close the refund for return rma_0001.",
            ["/proc/return-cases/cust_0001/rma_0001.json"],
            id="the payment is not cited",
        ),
    ],
)
def test_a_refund_cites_its_payment_and_one_return(
    request_text: str, cited_records: list[str]
) -> None:
    assert rules_against(request_text, "Closed.", cites=cited_records) == ["return"]


# An answer about stock must cite exactly the products that are meant or counted.
#
# The shop answers yes and no with `ja` and `nein`. `rules_against` returns the rules of its rule set that
# object to an answer: `["stock-subject"]`, if two products are cited for a question about one.


@pytest.mark.parametrize(
    ("request_text", "answer", "cited_products"),
    [
        pytest.param(
            "Do you have 3 of the lamp at Lombok?",
            "nein",
            ["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
            id="two products",
        ),
        pytest.param(
            "Do you have 3 of the lamp (but not VH-LMP-ONE)?",
            "ja",
            ["/proc/articles/VH-LMP-ONE.json"],
            id="the product that the request excludes",
        ),
    ],
)
def test_stock_of_one_product_is_answered_with_this_product(
    request_text: str, answer: str, cited_products: list[str]
) -> None:
    branch = "/proc/branches/Utrecht/store_utr_lombok.json"

    rules = rules_against(request_text, answer, cites=[branch, *cited_products])

    assert rules == ["stock-subject"]


def test_two_products_are_cited_for_a_count_of_one() -> None:
    """A count may not be lower than the number of cited products."""
    rules = rules_against(
        "How many of these products have 3 items available: the lamp, the mat?",
        "1",
        cites=["/proc/articles/VH-LMP-ONE.json", "/proc/articles/VH-LMP-TWO.json"],
    )

    assert rules == ["counted"]


# The rule `embargo`: nothing is told of a product before its day, if the shop's rules say so.
#
# The rules for agents name the field with this day, here `silent_until`. Today is 2031-05-04.

LAMP = "/proc/articles/VH-LMP-ONE.json"


def objection_to_price(*, silent_until: str, rules: str) -> str:
    """Return the objection to an answer that tells the price of a lamp; empty if there is none.

    `silent_until` is a day in the record of the lamp, and `rules` the shop's rules for agents.
    """
    lamp = {"sku": "VH-LMP-ONE", "properties": {"silent_until": silent_until}}
    case = Case(
        "How much is it?", rules, rules_path="/AGENTS.MD", now="2031-05-04T10:00:00Z"
    )
    return objection(
        embargo, Trace().read(LAMP, lamp), "EUR 12", cited=(LAMP,), case=case
    )


def test_an_answer_about_a_product_before_its_day_is_objected_to() -> None:
    fault = objection_to_price(
        silent_until="2031-05-05",
        rules="Nothing is told of a product before the day of its `silent_until`.",
    )

    assert "2031-05-05" in fault


@pytest.mark.parametrize("silent_until", ["2031-05-03", "2031-05-04"])
def test_an_answer_about_a_product_from_its_day_on_is_allowed(
    silent_until: str,
) -> None:
    fault = objection_to_price(
        silent_until=silent_until,
        rules="Nothing is told of a product before the day of its `silent_until`.",
    )

    assert fault == ""


@pytest.mark.parametrize("silent_until", ["2031-05-03", "2031-05-04", "2031-05-05"])
def test_a_day_in_a_field_that_the_rules_do_not_name_is_no_embargo(
    silent_until: str,
) -> None:
    """Without a rule, the field may mean anything."""
    assert objection_to_price(silent_until=silent_until, rules="") == ""


# An answer must cite all kinds of records that such a request needs, or the rule `checklist` objects.
#
#     "Do you have 3 of the lamp at Lombok?"    needs the product and the branch
#
# `rules_against` returns the rules of the shop's rule set that object to an answer: `["checklist"]`.


def test_an_answer_that_cites_the_product_and_the_branch_is_not_objected_to() -> None:
    rules = rules_against(
        "Do you have 3 of the lamp at Lombok?",
        "ja",
        cites=[
            "/proc/articles/VH-LMP-ONE.json",
            "/proc/branches/Utrecht/store_utr_lombok.json",
        ],
    )

    assert rules == []


def test_stock_at_a_branch_needs_the_branch() -> None:
    rules = rules_against(
        "Do you have 3 of the lamp at Lombok?",
        "ja",
        cites=["/proc/articles/VH-LMP-ONE.json"],
    )

    assert rules == ["checklist"]


def test_a_receipt_that_is_bought_again_needs_the_receipt() -> None:
    rules = rules_against(
        "Can I buy what is on the receipt again?",
        "ja",
        cites=[
            "/proc/branches/Utrecht/store_utr_lombok.json",
            "/proc/articles/VH-LMP-ONE.json",
        ],
    )

    assert rules == ["checklist"]


def test_a_discount_needs_the_employee_who_gives_it() -> None:
    rules = rules_against(
        "Apply a 5% discount to basket_0001.",
        "5% given.",
        cites=["/proc/carts/basket_0001.json"],
    )

    assert rules == ["checklist"]


# The rule `lacking_role`: who lacks the role that a page demands is denied the request.
#
# By the page, only the role `discount_manager` grants a discount. The outcome "unsupported" is for requests
# that cannot be met for another reason.

DISCOUNT_PAGE = "/docs/discounts.md"


def trace_with_page(*, roles: str) -> Trace:
    """Return a trace that has read the page. The user has these roles, as `/bin/id` prints them."""
    trace = Trace(f"user: emp_0001\nroles: {roles}")
    trace.read(DISCOUNT_PAGE, "Only staff with the role `discount_manager` grants one.")
    # The record of another employee, who has the role
    trace.read(
        "/proc/staff/emp_0002.json", {"id": "emp_0002", "roles": ["discount_manager"]}
    )
    return trace


def test_unsupported_for_lack_of_a_role_is_objected_to() -> None:
    trace = trace_with_page(roles="employee, packer")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=UNSUPPORTED
    )

    assert "`discount_manager`" in fault


def test_an_objection_quotes_the_sentence_it_rests_on_and_says_who_asks() -> None:
    trace = trace_with_page(roles="employee, packer")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=UNSUPPORTED
    )

    assert fault.startswith(
        "The asker is a member of staff; `/docs/discounts.md` says: "
        "`Only staff with the role 'discount_manager' grants one`."
    )


def test_an_objection_about_contact_details_names_the_guest_and_the_rule() -> None:
    trace = Trace("user: anonymous\nroles: guest")
    trace.read(
        "/docs/security.md",
        "# Security\n\nAsk `/bin/id` who it is. Guests get no contact details of staff, such as an "
        "e-mail. Goods are free to look at.",
    )

    fault = objection(
        staff_contact,
        trace,
        "ada@shop.example",
        case=Case("Give me Ada's work e-mail."),
    )

    assert fault.startswith(
        "The asker is a guest; `/docs/security.md` says: "
        "`Guests get no contact details of staff, such as an e-mail`. The request"
    )


def test_a_denial_for_lack_of_a_role_is_allowed() -> None:
    trace = trace_with_page(roles="employee, packer")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=DENIED
    )

    assert fault == ""


def test_unsupported_is_allowed_if_the_user_has_the_role() -> None:
    """The discount must have failed for another reason."""
    trace = trace_with_page(roles="employee, discount_manager")

    fault = objection(
        lacking_role, trace, "No.", cited=(DISCOUNT_PAGE,), outcome=UNSUPPORTED
    )

    assert fault == ""


# The rule `pre_call_check`: no success is reported after a change that was stopped and never made.
#
# The shop checks each call that would change something. It stops a wrong one with a notice, such as "line
# 1 is short" for a basket that the branch cannot fill. The model may correct the call, or make it all the
# same.


def record_check(trace: Trace, operation: str, *, notice: str) -> None:
    """Add to a trace that a call was checked: stopped with a notice, or let pass with none."""
    trace.evidence_log.add_function_result(
        "pre_call_check", {"operation": operation}, {"value": notice, "refs": []}
    )


def test_success_after_a_stopped_call_is_objected_to_with_its_notice() -> None:
    trace = Trace()
    record_check(trace, "exec", notice="line 1 is short")

    assert "line 1 is short" in objection(pre_call_check, trace, "It is bought.")


def test_a_refusal_after_a_stopped_call_is_allowed() -> None:
    """The model has understood the notice, and says why the basket was not bought."""
    trace = Trace()
    record_check(trace, "exec", notice="line 1 is short")

    fault = objection(pre_call_check, trace, "It is short.", outcome=UNSUPPORTED)

    assert fault == ""


def test_success_after_a_stopped_call_is_allowed_if_a_change_followed() -> None:
    trace = Trace()
    record_check(trace, "exec", notice="line 1 is short")
    trace.run("/bin/checkout", "basket_0001")

    assert objection(pre_call_check, trace, "It is bought.") == ""


def test_success_after_a_call_that_passed_the_check_is_allowed() -> None:
    trace = Trace()
    record_check(trace, "exec", notice="")

    assert objection(pre_call_check, trace, "It is bought.") == ""


def test_success_is_objected_to_if_one_of_several_calls_was_stopped() -> None:
    """None of the three calls was made."""
    trace = Trace()
    record_check(trace, "exec", notice="")
    record_check(trace, "write", notice="there is no such line")
    record_check(trace, "delete", notice="")

    fault = objection(pre_call_check, trace, "It is bought.")

    assert fault.endswith(" there is no such line")


# The rule `unmade_step`: no success is reported without the step that the cited page describes.
#
# An answer that cites a basket and the page on buying reports a purchase. So the tool that this page
# names, `/bin/checkout`, must have been run.

BASKET = "/proc/carts/basket_0001.json"
PAYMENT = "/proc/ledger/pay_0001.json"
BUYING_PAGE = "/docs/buying.md"


def trace_of_reads() -> Trace:
    """Return the trace of a trial that has read the page, a basket and a payment."""
    trace = Trace("user: cust_0001\nroles: customer")
    trace.read(
        BUYING_PAGE, "# Buying\n\nA basket is bought by `/bin/checkout <basket_id>`.\n"
    )
    trace.read(BASKET, {"id": "basket_0001", "status": "active"})
    trace.read(PAYMENT, {"id": "pay_0001"})
    return trace


def test_a_purchase_that_was_not_made_is_objected_to() -> None:
    trace = trace_of_reads()

    fault = objection(unmade_step, trace, "It is done.", cited=(BASKET, BUYING_PAGE))

    assert "/bin/checkout" in fault


@pytest.mark.parametrize(
    ("request_text", "is_question"),
    [
        ("Why can't I pay for basket-0001?", True),
        ("Hello, I see basket-0001 is still open. What is its status?", True),
        ("Is basket-0001 already paid?", True),
        ("Can you pay basket-0001?", False),
        ("Why is basket-0001 still open? Please complete it.", False),
        ("Why is basket-0001 open? Complete my order.", False),
        ("Why don't you just check out basket-0001?", False),
        ("basket-0001 has to go out today.", False),
    ],
)
def test_a_mere_question_needs_no_purchase(
    request_text: str, is_question: bool
) -> None:
    case = Case(request_text, rules="", rules_path="/AGENTS.MD")
    trace = trace_of_reads()

    fault = objection(
        unmade_step, trace, "It is open.", cited=(BASKET, BUYING_PAGE), case=case
    )

    assert (fault == "") == is_question


def test_a_purchase_that_was_made_is_allowed() -> None:
    trace = trace_of_reads()
    trace.run("/bin/checkout", "basket_0001")

    fault = objection(unmade_step, trace, "It is done.", cited=(BASKET, BUYING_PAGE))

    assert fault == ""


@pytest.mark.parametrize(
    "cited",
    [
        pytest.param((BASKET,), id="no page"),
        pytest.param((BUYING_PAGE,), id="no record"),
        pytest.param((PAYMENT, BUYING_PAGE), id="a record that the tool does not take"),
    ],
)
@pytest.mark.parametrize("is_bought", [False, True])
def test_success_with_other_citations_needs_no_purchase(
    cited: tuple[str, ...], is_bought: bool
) -> None:
    trace = trace_of_reads()
    if is_bought:
        trace.run("/bin/checkout", "basket_0001")

    assert objection(unmade_step, trace, "It is done.", cited=cited) == ""


# A kind of request has wordings: patterns with an example and a counterexample each.
#
#     Wording(..., example="Please refund my payment.", counterexample="My last refund went well.")
#
# The pattern must find the example, and the kind must not find the counterexample.


def wordings_of_all_kinds() -> list[tuple[RequestKind, Wording]]:
    """Return each kind of request with each of its wordings."""
    kinds: dict[RequestKind, None] = {}
    for value in (*vars(requests).values(), *vars(rule_set).values()):
        if isinstance(value, RequestKind):
            kinds[value] = None
    return [(kind, wording) for kind in kinds for wording in kind.wordings]


def example_of(value: object) -> str | None:
    """Return the example of a wording, by which its case is named."""
    return value.example if isinstance(value, Wording) else None


@pytest.mark.parametrize(("kind", "wording"), wordings_of_all_kinds(), ids=example_of)
def test_a_kind_is_found_in_each_example_and_in_no_counterexample(
    kind: RequestKind, wording: Wording
) -> None:
    assert re2.search(f"(?i){wording.pattern}", wording.example)
    assert kind.find(wording.example)
    assert not kind.find(wording.counterexample)


# A text that only mentions a subject is not a request: "How do I get a refund?" is not a refund.
#
# `REFUND.find(request)` returns the words of a request that ask for a refund, and "" here.


@pytest.mark.parametrize(
    ("kind", "request_text"),
    [
        (REFUND, "My last refund went well."),
        (REFUND, "I need no refund."),
        (REFUND, "How do I get a refund?"),
        (STOCK_OF_ONE, "Do you have 4 of each?"),
        (BUY_AGAIN, "Can I buy one of the lamps?"),
        (STAFF_CONTACT, "Send an e-mail to my brother."),
    ],
)
def test_a_text_that_only_mentions_the_subject_is_no_request(
    kind: RequestKind, request_text: str
) -> None:
    assert not kind.find(request_text)


# The shop's solver tells what a request asks for by patterns of wordings.
#
# `REFUND.find("Please refund my payment.")` returns the words that ask for a refund; "" if there
# are none.


@pytest.mark.parametrize(
    ("kind", "request_text"),
    [
        (STOCK_OF_ONE, "Do you have 4 of the LED lamp?"),
        (RECEIPT, "See upload 12."),  # a receipt that the user has uploaded
        (BUY_AGAIN, "If I bought all this again, what would it cost?"),
        (EXISTENCE, "Does such a product exist?"),
        (SKU_WANTED, "I need the article code."),  # also called a SKU
        (DETAIL_LEFT_OPEN, "An LED lamp, colour not stated."),
        (DETAIL_LEFT_OPEN, "The drill without the charging kit."),
        (REFUND, "Approve the refund."),
        (REFUND, "I want this refunded."),
        (REFUND, "The refund can be closed."),
        (REFUND, "Please refund my payment."),
        (VERIFICATION, "Retry the card verification."),
        (CHECKOUT, "Complete my order."),
        (CHECKOUT, "Please check out everything."),
        (CHECKOUT, "Check my basket basket_12 out."),
        (CHECKOUT, "My checkout is stuck. Please finish it."),
        (CHECKOUT, "Buy what's in my cart."),
        (DISCOUNT, "Apply a discount of 10 % to my basket."),
        (DISCOUNT, "The manager promised a discount. Please apply it."),
        (CLEANUP, "Empty /tmp/scan-3."),
        (STAFF_CONTACT, "What is the e-mail of the manager?"),
        (SEVERAL, "The price of basket_1 and of basket_2?"),  # several records
        (EXPORT, "Create an inventory export for the Graz branch."),
        (FIELD, "What is the `status` of pay_0012?"),  # one field of a record
        (CONSTRAINT, "An LED lamp whose `socket` is `E27`"),
    ],
)
def test_a_request_is_of_the_kind_that_its_wording_says(
    kind: RequestKind, request_text: str
) -> None:
    assert kind.find(request_text)


# Whichever call to the shop fails, the function that made it is told why: "the shop is down".
#
# A `WorkspaceReader` lists, searches and runs tools for functions.


def reader_whose_call_fails(operation: str, first_argument: str) -> WorkspaceReader:
    """Return a reader whose call, such as `search` for "lamp", fails with "the shop is down"."""
    error = CallError("unavailable", "the shop is down")
    return WorkspaceReader(HarnessWithOutcomes({(operation, first_argument): error}))


def test_a_failed_list_of_paths_is_reported() -> None:
    """All paths are found by the pattern `*`."""
    reader = reader_whose_call_fails("find", "*")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.paths()


def test_a_failed_search_is_reported() -> None:
    reader = reader_whose_call_fails("search", "lamp")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.search("lamp")


def test_a_failed_run_of_a_tool_is_reported() -> None:
    reader = reader_whose_call_fails("exec", "/bin/id")

    with pytest.raises(CannotRead, match="the shop is down"):
        reader.run("/bin/id")


# A workspace with too many files to list is reported, and not taken for a smaller one.
#
# `WorkspaceReader(harness).paths()` returns the paths of all files of a shop. It raises `CannotRead` if
# the list is cut off.


def test_a_workspace_that_is_too_large_to_list_is_reported() -> None:
    """The result of `find` is truncated, and `tree`, which is tried next, fails."""
    too_large = "the result of tree holds more than 1300 lists"
    harness = HarnessWithOutcomes(
        {
            ("find", "*"): {"paths": [], "truncated": True},
            ("tree", "/"): CallError("resource_exhausted", too_large),
        }
    )

    with pytest.raises(CannotRead, match=too_large):
        WorkspaceReader(harness).paths()


# A tool of the shop that was stopped for taking too long is run a second time, and not a third.
#
# Such a run has the exit code 124, and what it has printed may be incomplete.
# `WorkspaceReader(harness).run("/bin/id")` returns what the tool prints: "Herbert".


def test_a_tool_that_timed_out_is_run_once_more() -> None:
    timed_out = {"stdout": "Herb", "stderr": "", "exit_code": 124}
    success = {"stdout": "Herbert", "stderr": "", "exit_code": 0}
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [timed_out, success]})

    output = WorkspaceReader(harness).run("/bin/id")

    assert output == "Herbert"
    two_calls = [["exec"], ["exec"]]
    assert harness.batches == two_calls


def test_a_tool_that_timed_out_twice_has_failed() -> None:
    timed_out = {"stdout": "Herb", "stderr": "", "exit_code": 124}
    harness = HarnessWithOutcomes({("exec", "/bin/id"): [timed_out, timed_out]})

    with pytest.raises(CannotRead, match="/bin/id ended with exit code 124"):
        WorkspaceReader(harness).run("/bin/id")

    two_calls = [["exec"], ["exec"]]
    assert harness.batches == two_calls


# If a shop does not declare its tools, they are guessed from its paths.
#
# `/bin/id` may be a tool, as it has no suffix. `/docs/a.md` is a page.


def test_without_a_declaration_a_path_without_suffix_may_be_a_tool() -> None:
    """`/docs` and `/proc` have no suffix either, but there are paths below them."""
    paths = ["/bin/id", "/docs/a.md", "/docs", "/proc/x/b.json", "/proc"]

    tools = possible_tools(paths)

    no_description = ""
    assert tools == {"/bin/id": no_description}


# What cannot be read to its end must not be taken for the whole.
#
# `WorkspaceReader(harness).read("/docs/a.md")` returns the text of a file of the shop. It raises
# `LookupError` if there is no such file, and `CannotRead` if the call fails or its result is truncated.
# A function may rely on it that a file is missing, but learns nothing from a failed read.


def test_a_missing_file_raises_a_lookup_error() -> None:
    missing = CallError("not_found", "there is none")
    harness = HarnessWithOutcomes({("read", "/a"): missing})

    with pytest.raises(LookupError):
        WorkspaceReader(harness).read("/a")


def test_a_failed_read_raises_another_error() -> None:
    failed = CallError("unavailable", "down")
    harness = HarnessWithOutcomes({("read", "/a"): failed})

    with pytest.raises(CannotRead):
        WorkspaceReader(harness).read("/a")


def test_a_result_that_is_cut_off_raises_another_error() -> None:
    cut_off = {"content": "te", "truncated": True}
    harness = HarnessWithOutcomes({("read", "/a"): cut_off})

    with pytest.raises(CannotRead):
        WorkspaceReader(harness).read("/a")


def test_a_file_whose_next_part_is_empty_is_reported() -> None:
    """The second read returns nothing, but says that there is more.

    A third one would be the same call, so the rest of the file cannot be read.
    """
    first_part = {"content": "one\n", "truncated": True}
    empty_part = {"content": "", "truncated": True}
    harness = HarnessWithOutcomes({("read", "/a"): [first_part, empty_part]})

    with pytest.raises(CannotRead, match="read /a: what came back is truncated"):
        WorkspaceReader(harness).read("/a")


# The pre-call check compares an export of stock, which a script writes, with the shop's records.
#
#     SKU,2028-05-01,2028-05-02        units that can be sold today, and units that arrive tomorrow
#     TARP-RED,4,12
#
# It objects to a cell that differs from the records, and to an unknown product.


def test_the_right_export_is_not_objected_to() -> None:
    right_export = (
        "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,2,0\n"
    )

    assert check_of_export(right_export) == {"value": "", "refs": [], "notes": []}


def test_a_cell_against_the_records_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,6,0\n"

    objection = check_of_export(export)["value"]

    # Lines are counted without the header.
    assert "line 3: `2028-05-01` is '6', and the records give '2'" in objection


def test_a_row_for_an_unknown_product_is_objected_to() -> None:
    objection = check_of_export("SKU,2028-05-01\nNO-SUCH,3\n")["value"]

    assert "no product is called NO-SUCH" in objection


# An export of stock is not judged in a shop without pages.
#
# The pre-call check compares an export that a script writes with the shop's records. Only pages tell what
# the fields of the records mean. A note says why nothing is judged.


def test_an_export_is_not_judged_in_a_shop_without_pages() -> None:
    shop = written_shop({"/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND")})
    del shop.workspace.files["/docs/checkout.md"]
    wrong_export = "SKU,2028-05-01\nTARP-SAND,9\n"

    result = judge_call(
        shop, "write", {"path": "/exports/stock.csv", "content": wrong_export}
    )

    assert result["value"] == ""
    assert result["notes"] == [
        "without documents, too little is known of the shop to judge an export"
    ]


# The pre-call check objects to an export of stock, which a script writes, that lacks a row.
#
#     SKU,2028-05-01,2028-05-02        units that can be sold today, and units that arrive tomorrow
#     TARP-RED,4,12
#
# The shop has three products, so that three rows are due.


def test_a_missing_first_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-RED,4,12\nTARP-SAND,2,0\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-BLUE" in objection


def test_a_missing_last_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-SAND" in objection
