"""An independent solver, which knows only files and requests, ends where the grader wants trials to end."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest

from benchmarks.ecom.runtime.shop_environment import TIMED_OUT, EcomEnvironment
from benchmarks.ecom.tasks.grader import Grade, grade
from benchmarks.ecom.tasks.posing import family_names, pose_task
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import WorldSettings
from tests.benchmarks.ecom import file_solver
from tests.benchmarks.ecom.file_solver.solver import solve

FORBIDDEN = ("benchmarks", "toolkit", "gates", "agent", "sandbox", "controlplane")
LEAST_PLAN = 0.6
"""The least score of the solver's plans: its planner is simple, and naive plans score at most 0.7."""
SETTINGS = [
    WorldSettings(profile, names, wordings)
    for profile, names, wordings in product(("prod", "dev", "hard"), ("own", "public", "random"), ("known", "unseen"))
]


def solved(task: Task) -> Grade:
    """Return the grade of the solver's answer, after its changes."""
    shop = task.world.workspace()
    environment = EcomEnvironment(shop)
    identity = f"user: {shop.user}\nroles: {', '.join(shop.roles)}\n"
    answer = solve(task.instruction, dict(shop.files), identity, shop.clock.strftime("%Y-%m-%dT%H:%M:%SZ"))
    for path, text in answer.changes.items():
        if text is None:
            environment.call("delete", {"path": path})
        else:
            environment.call("write", {"path": path, "content": text})
    if answer.call:
        tool, *arguments = answer.call
        for _ in range(2):
            if environment.call("exec", {"path": tool, "args": arguments})["exit_code"] != TIMED_OUT:
                break
    environment.answer(answer.message, answer.outcome, answer.refs)
    return grade(task.truth, environment)


def differences(seeds: range) -> list[str]:
    """Return the trials in which solver and truth differ, of every family and with the settings in turn."""
    found = []
    for seed in seeds:
        for at, name in enumerate(family_names()):
            settings = SETTINGS[(seed * 5 + at) % len(SETTINGS)]
            task = pose_task(f"{name}.1", f"files|{seed}|{name}", settings)
            result = solved(task)
            if result.score < (LEAST_PLAN if task.truth.family == "dispatch-wave" else task.truth.reachable):
                found.append(f"{name} {seed} {settings}: {result.details} {task.instruction}")
    return found


def test_the_solver_and_the_truths_agree() -> None:
    assert differences(range(1)) == []


@pytest.mark.heavy
@pytest.mark.parametrize("start", range(0, 60, 6))
def test_the_solver_and_the_truths_agree_in_two_thousand_trials(start: int) -> None:
    assert differences(range(start, start + 6)) == []


def test_the_solver_imports_nothing_that_makes_grades_or_plays_worlds() -> None:
    for path in Path(file_solver.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] in FORBIDDEN], path
