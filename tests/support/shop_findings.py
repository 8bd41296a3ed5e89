"""What the functions of a shop's workspace should find in worlds of the embedded benchmark, by family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from agent.findings import compute_finding
from benchmarks.ecom.runtime.shop_environment import SURFACE, EcomEnvironment
from benchmarks.ecom.tasks.posing import FAMILIES
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import WorldSettings
from sandbox.interface import CallError, Plain, plain_result
from tests.benchmarks.ecom.reference_solutions import pose_variant

TOOLS = {executable.path: executable.summary for executable in SURFACE.executables}


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
                outcomes.append(plain_result(operation, partial(environment.call, operation, given)))
            except CallError as error:
                outcomes.append(error)
        return outcomes

    declared = next(each for each in (*SURFACE.operations, *SURFACE.checks) if each.name == function)
    return compute_finding(declared.finds, arguments, aide=None, ask=ask, tools=TOOLS), made


def judged(environment: EcomEnvironment, call: Call) -> Result:
    """Make a call and compare what it finds with the truth."""
    try:
        finding, made = found(environment, call.function, **call.arguments)
    except CallError as error:
        return Result("declined", 0, error.message)
    refs = [ref["path"] for ref in finding["refs"]]
    fits = call.is_right(finding["value"]) and (call.refs is None or sorted(refs) == sorted(call.refs))
    return Result("right" if fits else "wrong", made, f"{finding['value']} {refs} {finding['notes']}"[:1_500])


def opened(name: str, seed: int, *, names: str = "mixed", profile: str = "prod") -> tuple[Task, EcomEnvironment]:
    """Return a task of a family, whose variants take turns by the seed, and its environment."""
    variant = seed % len(FAMILIES[name].weights) + 1
    settings = WorldSettings(names=names, profile=profile)
    task = pose_variant(f"{name}#{variant}", f"{seed}|{name}.{variant}|0", settings)
    return task, EcomEnvironment(task.world.workspace())


def same(value: object) -> Callable[[Any], bool]:
    """Return whether something equals a value."""
    return lambda given: bool(given == value)
