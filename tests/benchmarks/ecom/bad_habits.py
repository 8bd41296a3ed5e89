"""Scripted players that do everything right but for one bad habit, for which worlds hold a trap.

Habits of answers alone, such as words around a value, are in `mistakes.py`.

A habit takes a generated task and a client of its world, and returns its answer, or None where its trap does not stand.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.generation import generate_task
from benchmarks.ecom.tasks.grader import Grade, grade
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Task
from benchmarks.ecom.world.generator import WorldSettings
from tests.benchmarks.ecom.reference_solutions import Answer, ReferenceClient, reference_of

Habit = Callable[[Task, ReferenceClient], Answer | None]
ANSWERED = "the request is answered"


def solved(task: Task, client: ReferenceClient) -> Answer:
    """Return the reference's answer after its deeds."""
    return reference_of(task.truth.family)(client, task.truth)


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+(?:\.\d+)?", text.casefold())


def literal_words(task: Task, client: ReferenceClient) -> Answer | None:
    """Take the product whose record holds most of the request's words, whatever the customer calls it."""
    if task.truth.family != "sku-lookup" or task.truth.outcome != OK:
        return None
    said = set(words_of(task.instruction))

    def held(sku: str) -> int:
        product = task.world.catalogue.products[sku]
        return len(said & set(words_of(json.dumps(product.data()))))

    best = max(sorted(task.world.catalogue.products), key=held)
    if best == task.truth.message:
        return None
    path = task.world.path(task.world.catalogue.products[best])
    return Answer(best, OK, {path: ANSWERED})


def base_policy_only(task: Task, client: ReferenceClient) -> Answer | None:
    """Go by the page on discounts and never look for a notice that overrides it."""
    inputs = task.truth.inputs
    if task.truth.family not in ("discount-grant", "discount-limit"):
        return None
    basket = task.world.baskets[inputs["basket"]]
    stated = task.world.notices.stated.maximum_percent(task.world.subtotal(basket))
    right = task.world.policy.maximum_percent(task.world.subtotal(basket))
    asks_for_most = "percent" not in task.instruction and "%" not in task.instruction
    if stated == right or (task.truth.family == "discount-grant" and not (asks_for_most and task.truth.calls)):
        return None
    if task.truth.family == "discount-grant":
        client.run("discount", inputs["basket"], str(stated), inputs["reason"], inputs["issuer"])
        return client.answer(task.truth, f"{inputs['basket']} has {stated} percent off now.")
    if str(stated) in (inputs["percent"], str(right)):
        return None
    return client.answer(task.truth, f"That is not possible: the maximum is {stated} percent.")


class _FirstPages(ReferenceClient):
    """Never asks for what a cut answer has left out."""

    was_cut = False

    def read(self, path: str) -> str:
        part = self.environment.call("read", {"path": path})
        self.was_cut = self.was_cut or part.get("truncated") is True
        return str(part["content"])

    def files_below(self, root: str) -> list[str]:
        found = self.environment.call("find", {"name": "*", "root": root, "kind": "files", "limit": 0})
        self.was_cut = self.was_cut or bool(found["truncated"])
        paths = found["paths"]
        return sorted(map(str, paths)) if isinstance(paths, list) else []


def no_paging(task: Task, client: ReferenceClient) -> Answer | None:
    """Take the first page of a listing, or of a file, for all of it."""
    if task.truth.family not in ("staff-count", "stock-answer", "stock-count"):
        return None
    right = solved(task, ReferenceClient(EcomEnvironment(task.world.workspace()), task.truth.names))
    hasty = _FirstPages(client.environment, client.names)
    try:
        answer = solved(task, hasty)
    except (KeyError, StopIteration, ValueError):  # What is cut is no JSON, or lacks what is looked for.
        return Answer("Nothing is recorded about that.", UNSUPPORTED, {})
    return answer if hasty.was_cut and answer.message != right.message else None


def foreign_record_cited(task: Task, client: ReferenceClient) -> Answer | None:
    """Cite, beside what is right, the record of a customer who has nothing to do with it."""
    truth = task.truth
    strangers = [task.world.path(basket) for basket in task.world.baskets.values()]
    allowed = {*truth.records, *truth.tolerated, *truth.changes}
    stranger = next(each for each in strangers if each not in allowed)
    if truth.outcome != DENIED:
        return None
    answer = solved(task, client)
    return replace(answer, citations={**answer.citations, stranger: "a basket of somebody else"})


def refused_but_done(task: Task, client: ReferenceClient) -> Answer | None:
    """Make the change first and refuse it afterwards."""
    named = [
        basket.id
        for basket in task.world.baskets.values()
        if basket.id in task.instruction and basket.status == "active"
    ]
    if task.truth.outcome not in (DENIED, UNSUPPORTED) or not named or task.truth.changes:
        return None
    answer = solved(task, client)
    client.run("checkout", named[0])
    return answer


def short_path_cited(task: Task, client: ReferenceClient) -> Answer | None:
    """Cite records directly below their root where listings show them in folders."""
    listed = [record for record in task.truth.records if record.startswith("/proc/") and record.count("/") > 3]
    if not listed or task.truth.measure:
        return None
    answer = solved(task, client)
    short = {"/".join((*path.split("/")[:3], path.rsplit("/", 1)[1])): path for path in listed}
    kept = {path: reason for path, reason in answer.citations.items() if path not in listed}
    return replace(answer, citations={**kept, **dict.fromkeys(short, ANSWERED)})


@dataclass(frozen=True, slots=True)
class Trapped:
    """A habit with the profile of the worlds that have its trap, and tasks in which to look for it."""

    habit: Habit
    tasks: tuple[str, ...]
    """Families; of each the first tasks are generated."""
    profile: str = "prod"


REFUSALS = ("foreign-basket", "basket-checkout", "refund-closure")
HABITS: Mapping[str, Trapped] = {
    "literal words": Trapped(literal_words, ("sku-lookup",)),
    "base policy only": Trapped(base_policy_only, ("discount-grant", "discount-limit"), "dev"),
    "no paging": Trapped(no_paging, ("staff-count", "stock-answer", "stock-count"), "hard"),
    "foreign record cited": Trapped(foreign_record_cited, REFUSALS),
    "refused but done": Trapped(refused_but_done, REFUSALS),
    "short path cited": Trapped(short_path_cited, ("record-field", "stock-answer", "basket-checkout")),
}


def trapped_grades(name: str, tries: int) -> list[tuple[str, Grade]]:
    """Return the grade of a habit in each task where its trap stands, by the task's id; `tries` of each family."""
    trapped, found = HABITS[name], []
    for family in trapped.tasks:
        for number in range(1, tries + 1):
            task = generate_task(f"{family}.{number}", f"habit|{number}", WorldSettings(profile=trapped.profile))
            environment = EcomEnvironment(task.world.workspace())
            answer = trapped.habit(task, ReferenceClient(environment, task.truth.names))
            if answer is not None:
                environment.answer(answer.message, answer.outcome, answer.refs)
                found.append((f"{family}.{number}", grade(task.truth, environment)))
    return found
