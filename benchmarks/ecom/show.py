"""`python -m benchmarks.ecom.show --task T --seed N`: prints a task with its truth and the reference solution.

This module is for people: no player imports it, and no tool leads here.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.reference_solutions import Answer, ReferenceClient, reference_of
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.posing import is_task_id, pose_task, task_ids
from benchmarks.ecom.tasks.task import Task, Truth
from benchmarks.ecom.world.generator import WorldSettings
from controlplane import did_you_mean
from sandbox.interface import Plain

MOST_NAMES: Final = 3
"""Names of a folder that the tree shows; of a longer folder it shows the first, the last, and the count."""
MOST_CHARS: Final = 2_000


class RecordingEnvironment(EcomEnvironment):
    """The shop, which remembers the calls made through it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.calls: list[tuple[str, dict[str, Plain]]] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and remember it."""
        self.calls.append((operation, dict(arguments)))
        return super().call(operation, arguments)


def show_task(task: Task) -> str:
    """Return the text that shows a posed task."""
    workspace = task.world.workspace()
    environment = RecordingEnvironment(workspace)
    answer = reference_of(task.truth.family)(ReferenceClient(environment, task.truth.names), task.truth)
    environment.answer(answer.message, answer.outcome, answer.refs)
    result = grade(task.truth, environment)
    parts = {
        "instruction": [task.instruction],
        "tree": list(_tree([*workspace.files, *(f"{folder}/" for folder in workspace.directories)])),
        "truth": list(_truth(task.truth)),
        "solution": list(_solution(environment.calls, answer)),
        "grade": [f"{result.score:.2f}", *result.details],
    }
    return "\n\n".join("\n".join((f"## {name}", *lines)) for name, lines in parts.items())


def _tree(paths: Sequence[str]) -> Iterator[str]:
    folders: dict[str, list[str]] = {}
    for path in sorted(paths):
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).extend([name] if name else [])
    for folder, names in sorted(folders.items()):
        shown = names if len(names) <= MOST_NAMES else [names[0], "...", f"{names[-1]} ({len(names)} files)"]
        yield f"{folder}/  {'  '.join(shown)}".rstrip()


def _truth(truth: Truth) -> Iterator[str]:
    yield f"outcome: {truth.outcome}"
    yield f"{'exactly' if truth.is_exact else 'such as'}: {_short(truth.message)}"
    for name, values in (("holds", truth.tokens), ("withholds", truth.forbidden)):
        yield from (f"{name}: {value}" for value in values)
    yield from (f"cites: {path}  ({reason})" for path, reason in {**truth.records, **truth.documents}.items())
    yield from (f"cites as a rule: {path}  ({reason})" for path, reason in truth.usual.items())
    yield from (f"may cite: {path}" for path in sorted(truth.tolerated))
    for path, text in sorted(truth.changes.items()):
        yield f"deletes: {path}" if text is None else f"changes: {path} to\n{_short(text)}"
    if truth.measure is not None:
        yield f"is scored in fractions, at least {truth.measure.reachable:.2f} for a good answer"


def _solution(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> Iterator[str]:
    for operation, arguments in calls:
        yield f"{operation}({', '.join(f'{name}={_short(json.dumps(value))}' for name, value in arguments.items())})"
    yield f"answer: {_short(answer.message)}"
    yield f"outcome: {answer.outcome}"
    yield from (f"refs: {path}" for path in answer.citations)


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}... ({len(text)} characters)"


def main(arguments: list[str]) -> int:
    """Print the task and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecom.show", description=__doc__)
    parser.add_argument("--task", required=True, help="a task's id, such as stock-count.1")
    parser.add_argument("--number", type=int, default=0, help="which try of the task, from 0")
    parser.add_argument("--profile", default="prod", choices=("prod", "dev", "hard"))
    parser.add_argument("--seed", type=int, default=0, help="the seed of the run")
    parser.add_argument("--names", default="mixed", choices=("mixed", "own", "public", "random"))
    parser.add_argument("--wordings", default="unseen", choices=("unseen", "known", "mixed"))
    given = parser.parse_args(arguments)
    if not is_task_id(given.task):
        parser.error(f"there is no task {given.task!r}{did_you_mean(given.task, task_ids(), most=5)}")
    seed = TrialId(given.task, given.number, given.seed, given.profile, "").world_seed
    print(show_task(pose_task(given.task, seed, WorldSettings(given.profile, given.names, given.wordings))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
