"""Messages of recorded right answers, given in our own worlds: our grader should accept them.

A message was written in a world of the public benchmark, and names its records: "basket-0021 is
not at PowerTools Graz Lend". For a task of ours of the same kind, these names are replaced by
the task's own: "basket-0412 is not at Veerhaven Noord". Then our grader judges the message.

    for recorded in right_messages(): faults_in_our_worlds(recorded, with_statements=False)
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Basket, Payment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.ecom.public_tasks import OUR_VARIANTS, listed_number
from tests.benchmarks.ecom.recorded_answers import number_of, read_rows
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer
from tests.benchmarks.ecom.truth_outlines import PUBLIC_NAMES, WORD_KINDS

FREELY_WORDED: Final = frozenset(
    {9, 10, 12, 13, 17, 18, 19, 40, 79, *range(82, 89), 92, *range(95, 101)}
)
"""The numbers in `OUR_VARIANTS` of public tasks whose right messages may be worded freely."""
SIGNS_OF_A_BLOCK: Final = ("<", "[[", "Quoted", "BEGIN", "---", "# ", "上", "模型")
"""Texts that only requests with a block contain: a text that poses as an instruction."""
WORLDS_PER_MESSAGE: Final = 2


class RightMessage(NamedTuple):
    """The message of a recorded answer that passed."""

    variant_id: str
    """Our variant of the task with the same outcome."""
    request: str
    message: str


def right_messages() -> Iterator[RightMessage]:
    """Yield the freely worded messages of recorded right answers, each once per task."""
    yielded = set()
    for row in read_rows():
        number = listed_number(number_of(row))
        if row["score"] != 1 or number not in FREELY_WORDED:
            continue
        # With a block, the right answer is about the block, and not about the request.
        if any(sign in row["task_text"] for sign in SIGNS_OF_A_BLOCK):
            continue
        variant_id = variants_by_outcome(number).get(row["outcome"])
        if variant_id is None:
            continue
        if (number, row["message"]) not in yielded:
            yielded.add((number, row["message"]))
            yield RightMessage(variant_id, row["task_text"], row["message"])


@cache
def variants_by_outcome(listed_number: int) -> Mapping[str, str]:
    """Return our first variant of a public task for each outcome.

    `{OK: "staff-count: one branch"}`
    """
    variants: dict[str, str] = {}
    for variant_id in OUR_VARIANTS[listed_number]:
        task = generate_variant(variant_id, "outcome", PUBLIC_NAMES)
        variants.setdefault(task.truth.outcome, variant_id)
    return variants


# Grading a recorded message ------------------------------------------------------------------


def faults_in_our_worlds(recorded: RightMessage, *, with_statements: bool) -> list[str]:
    """Return what our grader objects to if a recorded message is given in our worlds.

    Our shop's pages demand more than the public ones: a message must state the record and what was
    done. That is graded only `with_statements`, because recorded messages need not do it.
    """
    faults = []
    for seed in range(WORLDS_PER_MESSAGE):
        task = generate_variant(recorded.variant_id, f"recorded|{seed}", PUBLIC_NAMES)
        if not is_about_case_of(task, recorded.message):
            continue

        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)
        message = message_for(task, recorded)
        environment.answer(message, answer.outcome, answer.refs)

        truth = task.truth
        if not with_statements:
            truth = replace(truth, required_statements=(), required_percent=0)
        for line in grade(truth, environment).details:
            faults.append(f"{environment.submission}: {line}")
    return faults


def is_about_case_of(task: Task, message: str) -> bool:
    """Return True if a message is about the same case as a task.

    `message_for` replaces ids and times, but not a state, a reason or a percentage: those
    must be the task's own already. `truth.for_tests` has what the task was made of, such as
    `{"status": "requested"}`.
    """
    truth = task.truth
    details = truth.for_tests

    # "The return is requested" fits a refund that is refused because of this state.
    is_refused_refund = (
        truth.family.startswith("refund-") and truth.outcome == UNSUPPORTED
    )
    if is_refused_refund and "status" in details:
        return tells_state(message, details["status"])

    # "The maximum is 12 percent" fits a task whose maximum is 12. Times are replaced.
    if truth.required_words and not is_time(truth.required_words[0]):
        word = truth.required_words[0]
        return re.search(rf"\b{word}\b", message) is not None

    # "It has 12 percent off now" fits a task about a discount of 12 percent.
    if truth.required_percent:
        return str(truth.required_percent) in re.findall(r"\d+", message)

    # Of our reasons against a discount, the recorded messages have only one: there is one already.
    reason = details.get("case")
    return reason is None or reason == "discounted"


def tells_state(message: str, state: str) -> bool:
    """Return True if a message says that the record is in this state.

    "It is requested" -> True. "It must be approved" -> False: it names a state that the record
    does not have.
    """
    names_rule = re.search("requires|must|only|before", message) is not None
    names_state = re.search(rf"\b{state}\b", message) is not None
    return names_state and not names_rule


def is_time(word: str) -> bool:
    """Return True for a time as in records: `2027-03-04T10:20:30Z`."""
    return re.match(WORD_KINDS["time"], word) is not None


# Replacing the names in a message ------------------------------------------------------------


def message_for(task: Task, recorded: RightMessage) -> str:
    """Return a recorded message with the names of its public world replaced by the task's own.

    For a task on `basket-0412`, asked by the customer `cust-0121`:

    - "basket-0021 of cust-0004 is paid" -> "basket-0412 of cust-0121 is paid"
    - "it is not at PowerTools Graz Lend" -> "it is not at Veerhaven Noord"
    """
    names = names_of(task)

    # The request names the asker's role already, so a message need not.
    message = re.sub(
        r"Role[A-Z]\w+|\bnot a store manager", "not of the staff", recorded.message
    )
    message = with_own_customers(message, recorded.request, names.user)
    for pattern, own_id in names.ids_by_pattern.items():
        message = re.sub(pattern, own_id, message)
    message = with_own_stores(message, names)
    for word in task.truth.required_words:
        if is_time(word):
            message = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", word, message)
    return message


@dataclass(frozen=True, slots=True)
class OwnNames:
    """What a message about a task of ours may name."""

    user: str
    """The id of the user who asks: `cust-0121`, or `emp-0012` for an employee."""
    ids_by_pattern: Mapping[str, str]
    """The ids of the task's records, by the pattern of such ids: `{r"pay-\\d+": "pay-0412"}`.

    An id is empty if the task is not about such a record.
    """
    store: str
    """The name of the branch at which the task's basket is; empty without a basket."""
    store_of_user: str
    """The name of the branch at which the user's own basket is; by default the same as `store`."""


def names_of(task: Task) -> OwnNames:
    """Return what a message about a task may name."""
    world = task.world
    user = world.session.user
    details = task.truth.for_tests
    payment = payment_of(task)
    basket = basket_of(task, payment)
    basket_of_user = first_basket_of(world, user) or basket
    return OwnNames(
        user=user,
        ids_by_pattern={
            r"emp-\d+": user if user.startswith("emp") else "",
            r"(?i)basket-\d+": basket.id if basket else "",
            r"pay-\d+": payment.id if payment else "",
            r"return-\d+": details.get("return", ""),
            # The code of a product
            r"PT-[A-Z0-9-]+": details.get("short") or details.get("sku", ""),
        },
        store=store_name(world, basket),
        store_of_user=store_name(world, basket_of_user),
    )


def payment_of(task: Task) -> Payment | None:
    """Return the payment that a task is about, if any.

    The answer must cite it, or it is a detail of the request: `{"payment": "/proc/payments/…"}`.
    """
    paths = [*task.truth.must_cite, task.truth.for_tests.get("payment")]
    for payment in task.world.payments.values():
        if task.world.path(payment) in paths:
            return payment
    return None


def basket_of(task: Task, payment: Payment | None) -> Basket | None:
    """Return the basket that a task is about, if any, or else the basket of its payment."""
    paths = [*task.truth.must_cite, task.truth.for_tests.get("basket")]
    for basket in task.world.baskets.values():
        if task.world.path(basket) in paths:
            return basket
    if payment is not None:
        return task.world.baskets[payment.basket_id]
    return None


def first_basket_of(world: World, customer_id: str) -> Basket | None:
    """Return the first basket of a customer."""
    for basket in world.baskets.values():
        if basket.customer_id == customer_id:
            return basket
    return None


def store_name(world: World, basket: Basket | None) -> str:
    """Return the name of a basket's branch."""
    if basket is None:
        return ""
    return world.stores[basket.store_id].name


def with_own_customers(message: str, request: str, user: str) -> str:
    """Replace the ids of customers: by the id of the user who asks, or by "another customer".

    "the identity cust-0004 is not its owner cust-0012" -> "the identity cust-0121 is not its owner
    another customer", because our shop does not tell whose record it is. An id that the request
    names is another customer's, too.
    """
    ids_in_request = set(re.findall(r"cust-\d+", request))

    def replacement(match: re.Match[str]) -> str:
        text_before = message[: match.start()].lower()
        is_user = match[0] not in ids_in_request and precedes_user(text_before)
        return user if is_user else "another customer"

    return re.sub(r"cust-\d+", replacement, message)


WORDS_BEFORE_USER: Final = re.compile(
    r"identity|/bin/id|customer \(|customer $|current"
)
"""What precedes the id of the user who asks: "the current identity is cust-0031"."""


def precedes_user(text_before: str) -> bool:
    """Return True if an id after this text, in lower case, is of the user who asks.

    "the current identity is" -> True
    "it belongs to customer" -> False
    """
    # A word counts only if it stands near the id, within so many letters before it.
    if "owner" in text_before[-16:] or "belong" in text_before[-30:]:
        return False
    return WORDS_BEFORE_USER.search(text_before[-60:]) is not None


STORE: Final = re.compile(
    r"PowerTools (?:Vienna|Graz|Linz|Salzburg|Innsbruck) \w+"
    r"|store-(?:vie|graz|linz|salzburg|innsbruck)-\w+"
)
"""The name or the id of a branch in the public worlds: `PowerTools Graz Lend`."""


def with_own_stores(message: str, names: OwnNames) -> str:
    """Replace branches: after "your own" by that of the user's basket, else by the basket's."""

    def replacement(match: re.Match[str]) -> str:
        text_before = message[: match.start()].lower()
        return names.store_of_user if "your own" in text_before else names.store

    return STORE.sub(replacement, message)
