"""What the functions of a shop's workspace should find in worlds of the embedded benchmark, by family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.findings import compute_finding
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.shop_surface import SURFACE
from benchmarks.ecom.tasks.families import family, pose_task
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.profiles import WorldSettings
from sandbox.interface import CallError, Plain


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function with the right parameters, and what it should return."""

    function: str
    arguments: Mapping[str, Plain]
    is_right: Callable[[Any], bool]
    """Whether a value is the true one."""
    refs: Sequence[str] | None = None
    """The paths that it should cite, in any order; None if the truth says nothing of them."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a call went: right, wrong or declined, and the calls that it made."""

    verdict: str
    calls: int
    told: str


def found(environment: EcomEnvironment, function: str, **arguments: Plain) -> tuple[dict[str, Any], int]:
    """Return what a declared function finds, and how many calls it made. Raises `CallError`."""
    made = 0

    def ask(asked: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        nonlocal made
        made += len(asked)
        outcomes: list[Any] = []
        for operation, given in asked:
            try:
                outcomes.append(environment.call(operation, given))
            except CallError as error:
                outcomes.append(error)
        return outcomes

    declared = SURFACE.operation(function)
    assert declared is not None, function
    return compute_finding(declared.finds, arguments, aide=None, ask=ask), made


def judged(environment: EcomEnvironment, call: Call) -> Result:
    """Make a call and compare what it finds with the truth."""
    try:
        finding, made = found(environment, call.function, **call.arguments)
    except CallError as error:
        return Result("declined", 0, error.message)
    refs = [each["path"] for each in finding["refs"]]
    fits = call.is_right(finding["value"]) and (call.refs is None or sorted(refs) == sorted(call.refs))
    return Result("right" if fits else "wrong", made, f"{finding['value']} {refs} {finding['notes']}"[:1_500])


def opened(name: str, seed: int, *, names: str = "mixed", profile: str = "prod") -> tuple[Task, EcomEnvironment]:
    """Return a task of a family, whose variants take turns by the seed, and its environment."""
    variant = seed % len(family(name).VARIANTS) + 1
    task = pose_task(f"{name}.{variant}", f"{seed}|{name}.{variant}|0", WorldSettings(names=names, profile=profile))
    return task, EcomEnvironment(task.world.workspace())


def same(value: object) -> Callable[[Any], bool]:
    """Return whether something equals a value."""
    return lambda given: bool(given == value)


def _calendar_date(task: Task) -> Iterator[Call]:
    if any(mark in task.instruction for mark in ("YYYY", "yyyy")):
        yield Call("relative_date", {"request": task.instruction}, same(task.truth.message), [])


def _staff_count(task: Task) -> Iterator[Call]:
    inputs = task.truth.inputs
    branch = task.world.stores[inputs["store"]].name if inputs["store"] else ""
    value = int(task.truth.message)
    yield Call("staff_with_role", {"role": inputs["role"], "branch": branch}, same(value), list(task.truth.records))


def _unnamed_basket(task: Task) -> Iterator[Call]:
    paths = task.truth.inputs["baskets"].split()
    ids = {each.id for each in task.world.baskets.values() if task.world.path(each) in paths}
    yield Call("pick_basket", {}, lambda value: set(value) == ids, paths)


def _basket_addition(task: Task) -> Iterator[Call]:
    path = task.truth.inputs["basket"]
    newest = [each.id for each in task.world.baskets.values() if task.world.path(each) == path]
    yield Call("pick_basket", {"selector": "newest"}, same(newest), [path])


def _verification_restart(task: Task) -> Iterator[Call]:
    payment = task.world.payments[task.truth.inputs["id"]]
    check = payment.verification
    if check is None or payment.customer_id != task.world.user:
        return
    at = check.retry_after
    passed = at <= task.world.clock.strftime("%Y-%m-%dT%H:%M:%SZ")
    true = (check.attempts, check.max_attempts, at, passed)
    yield Call(
        "retry_moment",
        {"payment": payment.id},
        lambda value: (value["attempts"], value["max_attempts"], value["retry_at"], value["passed"]) == true,
        [task.truth.inputs["payment"]],
    )


def _refund_closure(task: Task) -> Iterator[Call]:
    payment = next(
        each for each in task.world.payments.values() if task.world.path(each) == task.truth.inputs["payment"]
    )
    is_own = payment.customer_id == task.world.user
    yield Call("may_use", {"record": payment.id}, lambda value: value["change"] is value["see"] is is_own)
    if is_own:
        linked = {task.truth.inputs.get("path", "")} - {""}
        yield Call(
            "linked_records",
            {"record": payment.id},
            lambda value: {each["path"] for each in value if each["kind"] == "return"} == linked,
        )


def _foreign_basket(task: Task) -> Iterator[Call]:
    no = (False, False, False)
    yield Call(
        "may_use",
        {"record": task.truth.inputs["id"]},
        lambda value: (value["see"], value["change"], value["cite"]) == no,
        [],
    )


CALLS: Mapping[str, Callable[[Task], Iterator[Call]]] = {
    "basket-addition": _basket_addition,
    "calendar-date": _calendar_date,
    "foreign-basket": _foreign_basket,
    "guest-basket-status": _foreign_basket,
    "refund-closure": _refund_closure,
    "staff-count": _staff_count,
    "unnamed-basket": _unnamed_basket,
    "verification-restart": _verification_restart,
}
"""The calls that serve a family, by its name."""
