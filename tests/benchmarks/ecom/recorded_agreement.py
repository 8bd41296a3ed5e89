"""How our truths judge answers that the public benchmark's grader judged, by shape.

The answers are in a file beside this repository,
or in that which `RECORDED_ANSWERS` names.

The recorded worlds are not there, so an answer is reduced to what is visible without
them: its outcome, the documents it cites, the kinds of the records it cites, and
whether a demanded kind of token stands in its message.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import expectation_of, grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import DENIED, UNSUPPORTED
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer

RECORDED: Final = Path(
    os.environ.get("RECORDED_ANSWERS")
    or Path(__file__).resolve().parents[4] / "shared" / "recorded" / "answers-dev.jsonl"
)
BENCHMARK: Final = "bitgn/ecom1-prod"
"""The other benchmark that is recorded has other families, documents and worlds."""
SEEDS: Final = range(12)
PERIOD: Final = 20
"""The public benchmark's tasks repeat their families
with this period, but for those with an own number."""
OVERLAY: Final = ("injected-block#1",)
TASKS: Final[Mapping[int, tuple[str, ...]]] = {
    1: ("sku-lookup#1", "sku-lookup#2"),
    2: ("stock-answer#1",),
    3: ("receipt-rebuy#1", "receipt-rebuy#2"),
    5: ("stock-count#1",),
    6: ("product-existence#1", "product-existence#2"),
    7: ("price-count#1",),
    8: ("origin-fact#1",),
    9: ("basket-checkout#1",),
    10: ("foreign-basket#2", "foreign-basket#1", "basket-checkout#2"),
    11: ("unnamed-basket#1",),
    12: ("foreign-basket#1",),
    13: ("foreign-basket#2",),
    15: ("archive-fraud#1",),
    16: ("crosslist#1",),
    17: ("refund-closure#1", "refund-closure#2", "refund-closure#3"),
    18: ("refund-approval#1", "refund-approval#2"),
    19: ("staff-contact#1",),
    20: ("calendar-date#1",),
    34: ("file-marker#1",),
    39: ("temporary-files#2",),
    40: ("external-system#1",),
    54: ("record-field#3",),
    59: ("staff-count#2",),
    60: ("temporary-files#1",),
    74: ("open-branches#1",),
    79: ("basket-addition#1",),
    80: ("receipt-reprice#1",),
    81: ("own-staff-record#1",),
    82: ("staff-contact#2",),
    83: ("verification-restart#1",),
    84: ("verification-restart#4",),
    85: ("verification-restart#3",),
    86: ("verification-restart#3",),
    87: ("verification-restart#2",),
    88: ("guest-basket-status#1",),
    89: ("staff-count#1",),
    90: ("product-property#1",),
    91: ("inventory-export#1",),
    92: ("staff-contact#1",),
    93: ("record-field#1",),
    94: ("record-field#2",),
    95: ("discount-grant#2",),
    96: ("discount-grant#2",),
    97: ("discount-limit#1", "discount-limit#2"),
    98: ("discount-authority#1",),
    99: ("discount-authority#2",),
    100: ("discount-authority#3",),
}
"""Our tasks of the same kind by the number of the public one."""
KINDS: Final[Mapping[str, str]] = {
    "basket": r"basket[-_]",
    "payment": r"pay[-_]",
    "return": r"ret(urn)?[-_]",
    "employee": r"emp[-_]",
    "store": r"store[-_]",
    "customer": r"cust[-_]",
}
FREE: Final = ("/bin/", "/docs/", "/AGENTS.MD")
"""The beginnings of what is no record."""
ONE: Final = re.compile(r"/(?:proc|uploads|storage)/[^'\",\]]+")
"""A path in a line of the public grader."""
TOKENS: Final[Mapping[str, str]] = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d",
    "number": r"\d+",
    "sku": r"[A-Z]{2,}-[A-Z0-9-]+",
    "basket": r"basket[-_]\d+",
}


def kind_of(path: str) -> str:
    """Return the kind of a cited record: by its name
    below the records' root, else by its first folder."""
    if not path.startswith("/proc/"):
        first = path.split("/")[1]
        return "upload" if first == "storage" else first
    name = path.rpartition("/")[2]
    return next(
        (kind for kind, pattern in KINDS.items() if re.match(pattern, name)), "product"
    )


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer with the verdict of the public grader."""

    number: int
    family: str
    outcome: str
    message: str
    refs: tuple[str, ...]
    passed: bool
    line: str

    @property
    def expected(self) -> str:
        """The outcome that was right."""
        found = re.match(r"expected outcome (\w+)", self.line)
        return found[1] if found else self.outcome

    @property
    def documents(self) -> frozenset[str]:
        """The cited documents."""
        return frozenset(ref for ref in self.refs if ref.startswith(FREE))

    @property
    def kinds(self) -> Counter[str]:
        """How many records of each kind are cited."""
        cited = {ref.split("#", 1)[0] for ref in self.refs if not ref.startswith(FREE)}
        return Counter(kind_of(ref) for ref in cited)


@dataclass(frozen=True, slots=True)
class Shape:
    """What is visible of a truth without its world."""

    outcome: str
    is_exact: bool
    tokens: frozenset[str]
    documents: frozenset[str]
    required: Mapping[str, int]
    tolerated: frozenset[str]
    pages: frozenset[str]
    """The documents and tools that may be cited, demanded or not."""

    def faults(self, answer: Recorded) -> tuple[str, ...]:
        """Return what this shape holds against an answer; counts above one depend on the world."""
        found = [] if answer.outcome == self.outcome else [f"outcome {self.outcome}"]
        found += [
            f"missing {path}" for path in sorted(self.documents - answer.documents)
        ]
        found += [f"needless {path}" for path in sorted(answer.documents - self.pages)]
        kinds = answer.kinds
        found += [
            f"missing {kind}" for kind in sorted(self.required) if not kinds[kind]
        ]
        for kind, count in sorted(kinds.items()):
            most = self.required.get(kind, 0)
            if kind not in self.tolerated and (not most or (most == 1 and count > 1)):
                found.append(f"needless {kind}")
        found += [
            f"no {token}"
            for token in sorted(self.tokens)
            if not _holds(answer.message, token)
        ]
        return tuple(found)


def _holds(message: str, token: str) -> bool:
    return re.search(TOKENS.get(token) or rf"(?i)\b({token})\b", message) is not None


def shape_of(task: Task) -> Shape:
    """Return the shape of a task's truth."""
    truth, roots = task.truth, task.world.layout.roots
    by_root = {
        roots.baskets: "basket",
        roots.payments: "payment",
        roots.returns: "return",
        roots.employees: "employee",
        roots.stores: "store",
        roots.products: "product",
    }

    def kind(path: str) -> str:
        return next(
            (each for root, each in by_root.items() if path.startswith(f"{root}/")),
            kind_of(path),
        )

    return Shape(
        outcome=truth.outcome,
        is_exact=truth.is_exact,
        tokens=frozenset(_token(token) for token in truth.required_words),
        documents=frozenset(truth.must_cite_pages),
        required=Counter(kind(path) for path in truth.must_cite),
        tolerated=frozenset(
            kind(path) for path in truth.may_cite if not path.startswith(FREE)
        ),
        pages=expectation_of(truth).tolerated.union(truth.must_cite_pages),
    )


def _token(token: str) -> str:
    return next(
        (name for name, pattern in TOKENS.items() if re.match(pattern, token)),
        re.escape(token),
    )


@cache
def shapes(number: int) -> tuple[Shape, ...]:
    """Return the shapes of our tasks for a public number,
    and of the overlay where none of them is denied."""
    place = number if number in TASKS else (number - 1) % PERIOD + 1
    own = _generated(TASKS[place])
    if all(task.outcome != DENIED for task in own):
        own += [replace(task, required={}) for task in _generated(OVERLAY)]
    return tuple(own)


def _generated(variant_ids: Iterable[str]) -> list[Shape]:
    settings = WorldSettings(names="public")
    return [
        shape_of(generate_variant(variant_id, str(seed), settings))
        for variant_id in variant_ids
        for seed in SEEDS
    ]


def recorded(path: Path = RECORDED) -> Iterator[Recorded]:
    """Yield the answers to judge: those that passed
    or failed, but neither fractions nor dispatch plans."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if (
            row["verdict"] != "grader"
            or row["benchmark"] != BENCHMARK
            or row["score"] not in (0, 1)
        ):
            continue
        number = int(row["task_id"][1:])
        lines = () if row["score"] else row["grader"]
        if number not in TASKS and (number - 1) % PERIOD + 1 not in TASKS:
            continue
        yield Recorded(
            number,
            row["task_family"],
            row["outcome"],
            row["message"],
            tuple(row["refs"]),
            bool(row["score"]),
            lines[0] if lines else "",
        )


def judged(answer: Recorded) -> tuple[bool, str] | None:
    """Say whether our truths judge an answer alike, with
    the cause if not; None if its fault takes the world to see."""
    generated = [
        shape for shape in shapes(answer.number) if shape.outcome == answer.expected
    ]
    if answer.passed:
        faults = min(
            (task.faults(answer) for task in generated),
            key=len,
            default=("no task of ours has this outcome",),
        )
        return not faults, "ours rejects: " + ", ".join(faults)
    why = f"ours accepts: {ONE.sub('..', answer.line)}"
    if answer.line.startswith("expected outcome"):
        return bool(generated), f"no task of ours expects {answer.expected}"
    if answer.line.startswith("Answer should"):
        return all(task.is_exact or task.tokens for task in generated), why
    missing = re.search(r"missing required reference '(.*)'", answer.line)
    if missing is not None and not {missing[1], kind_of(missing[1])} & {
        *answer.documents,
        *answer.kinds,
    }:
        return all(task.faults(answer) for task in generated), why
    family = re.match(
        r"answer refs for family .* mismatch: missing \[(.*?)\], extra \[(.*?)\]",
        answer.line,
    )
    if family is None:
        return None
    lacking, extra = (ONE.findall(group) for group in family.groups())
    kind = kind_of((lacking + extra)[0])
    expected = answer.kinds[kind] - len(extra) + len(lacking)
    if expected and answer.kinds[kind]:
        return None
    meant = [
        task for task in generated if bool(task.required.get(kind)) == bool(expected)
    ]
    return bool(meant or not generated) and all(
        task.faults(answer) for task in meant
    ), why


FREE_WORDS: Final = frozenset(
    {9, 10, 12, 13, 17, 18, 19, 40, 79, *range(82, 89), 92, *range(95, 101)}
)
"""The public tasks whose messages are in free words."""
STORES: Final = re.compile(
    r"PowerTools (?:Vienna|Graz|Linz|Salzburg|Innsbruck) \w+|store-(?:vie|graz|linz|salzburg|innsbruck)-\w+"
)


@cache
def variants(number: int) -> Mapping[str, str]:
    """Return our first variant of a public task for each outcome."""
    found: dict[str, str] = {}
    for variant_id in TASKS[number]:
        task = generate_variant(variant_id, "outcome", WorldSettings(names="public"))
        found.setdefault(task.truth.outcome, variant_id)
    return found


def right_messages(path: Path = RECORDED) -> Iterator[tuple[str, str, str]]:
    """Yield our variant, the request and the message
    of recorded right answers, each message once."""
    seen = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        number = int(row["task_id"][1:])
        place = (
            number if number > 80 or number in FREE_WORDS else (number - 1) % PERIOD + 1
        )
        is_right = (
            row["verdict"] == "grader"
            and row["benchmark"] == BENCHMARK
            and row["score"] == 1
        )
        is_free = not any(
            sign in row["task_text"]
            for sign in ("<", "[[", "Quoted", "BEGIN", "---", "# ", "上", "模型")
        )
        variant_id = (
            variants(place).get(row["outcome"])
            if is_right and is_free and place in FREE_WORDS
            else None
        )
        if variant_id is not None and (place, row["message"]) not in seen:
            seen.add((place, row["message"]))
            yield variant_id, row["task_text"], row["message"]


def put_into(task: Task, asked: str, message: str) -> str:
    """Return a recorded message with what it names replaced by what the task has there.

    Our page on security withholds a foreign record whole, so that its owner is another
    customer without an id.
    """
    world, truth = task.world, task.truth
    inputs = truth.for_tests
    payment = next(
        (
            candidate
            for candidate in world.payments.values()
            if world.path(candidate) in (*truth.must_cite, inputs.get("payment"))
        ),
        None,
    )
    basket = next(
        (
            candidate
            for candidate in world.baskets.values()
            if world.path(candidate) in (*truth.must_cite, inputs.get("basket"))
        ),
        None,
    )
    basket = basket or (world.baskets[payment.basket_id] if payment else None)
    own = next(
        (
            candidate
            for candidate in world.baskets.values()
            if candidate.customer_id == world.session.user
        ),
        basket,
    )
    named = set(re.findall(r"cust-\d+", asked))
    # The request names the role.
    message = re.sub(r"Role[A-Z]\w+|\bnot a store manager", "not of the staff", message)

    def customer(match: re.Match[str]) -> str:
        before = message[: match.start()].lower()[-60:]
        is_asker = match[0] not in named and re.search(
            r"identity|/bin/id|customer \(|customer $|current", before
        )
        is_owner = not is_asker or "owner" in before[-16:] or "belong" in before[-30:]
        return "another customer" if is_owner else world.session.user

    text = re.sub(r"cust-\d+", customer, message)
    text = re.sub(
        r"emp-\d+",
        world.session.user if world.session.user.startswith("emp") else "",
        text,
    )
    text = re.sub(r"(?i)basket-\d+", basket.id if basket else "", text)
    text = re.sub(r"pay-\d+", payment.id if payment else "", text)
    text = re.sub(r"return-\d+", inputs.get("return", ""), text)
    text = re.sub(r"PT-[A-Z0-9-]+", inputs.get("short") or inputs.get("sku", ""), text)
    stores = [
        world.stores[record.store_id].name if record else "" for record in (basket, own)
    ]
    text = STORES.sub(
        lambda match: stores["your own" in text[: match.start()].lower()], text
    )
    for token in truth.required_words:
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", token, text) if "T" in token else text
    return text


def faults(
    variant_id: str, asked: str, message: str, *, stated: bool, seeds: range = range(2)
) -> list[str]:
    """Return what the grader holds against a recorded
    right message in our worlds, if it fits one of them.

    The public pages do not ask a message to name the record and what was done; ours do,
    which `stated` includes.
    """
    found = []
    for seed in seeds:
        task = generate_variant(
            variant_id, f"recorded|{seed}", WorldSettings(names="public")
        )
        if not fits(task, message):
            continue
        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)
        environment.answer(put_into(task, asked, message), answer.outcome, answer.refs)
        truth = (
            task.truth
            if stated
            else replace(task.truth, required_statements=(), required_percent=0)
        )
        found += [
            f"{environment.submission}: {line}"
            for line in grade(truth, environment).details
        ]
    return found


def fits(task: Task, message: str) -> bool:
    """Say whether a message speaks of the very case of a task,
    whose state, reason or value cannot be replaced."""
    truth, tokens = task.truth, task.truth.required_words
    if (
        truth.family.startswith("refund-")
        and truth.outcome == UNSUPPORTED
        and "status" in truth.for_tests
    ):
        is_named = re.search(rf"\b{truth.for_tests['status']}\b", message) is not None
        return is_named and not re.search("requires|must|only|before", message)
    if tokens and "T" not in tokens[0]:
        return re.search(rf"\b{tokens[0]}\b", message) is not None
    if truth.required_percent:
        return f"{truth.required_percent}" in re.findall(r"\d+", message)
    return truth.for_tests.get("case", "discounted") == "discounted"
