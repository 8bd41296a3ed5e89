"""`python -m benchmarks.ecom.export DIR`: writes tasks of the embedded world as folders that `folder:DIR` plays.

A task becomes its task.toml, the files of its world, and the files that it expects to be changed. Fixed outputs of
tools are copied; tools that make changes become tables of calls.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.runtime.shop_surface import EXECUTABLES, RULES_DOCUMENT
from benchmarks.ecom.runtime.shop_tools import TOOLS, ToolContext
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.ecom.show import add_world_options
from benchmarks.ecom.tasks.archive import FraudMeasure
from benchmarks.ecom.tasks.grader import expectation_of
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.tasks.task import Task, Truth
from benchmarks.ecom.world.profiles import WorldSettings
from benchmarks.local.end_state_grader import RowShares
from controlplane import BenchmarkError, TaskSelection
from sandbox import FileTree
from sandbox.interface import ExecutableKind, Plain

USUAL: Final = 8
"""Tasks to write if none is named: a folder holds the files of about eleven worlds."""
TASK_FILE: Final = "task.toml"
RESTARTS: Final = 2
"""Restarts of a verification that an exported task allows: one more than is ever right."""
ANYTHING: Final = "(?s).*"
WORD: Final = r"(\S+)"
NOT_HERE: Final = "this tool computes, and was not exported; read the files\n"


def is_expressible(truth: Truth) -> bool:
    """Say whether a folder can pose this task: not if a simulation scores its answer, such as a dispatch plan."""
    return truth.measure is None or isinstance(truth.measure, FraudMeasure)


def write_task(task: Task, folder: Path) -> None:
    """Write a task into a new folder. Raises `FileExistsError` if it is there already."""
    workspace = task.world.workspace()
    folder.mkdir(parents=True)
    for path, text in workspace.files.items():
        _write(folder / "files" / path.lstrip("/"), text)
    wanted = {path: f"expected/{path.lstrip('/')}" for path, text in task.truth.changes.items() if text is not None}
    for path, name in wanted.items():
        _write(folder / name, task.truth.changes[path] or "")
    lines = [*_head(task, workspace), *_tools(workspace), *_expected(task.truth, wanted)]
    _write(folder / TASK_FILE, "\n".join(lines) + "\n")


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8", newline="")


def _toml(value: Plain) -> str:
    """Return a value as TOML writes it: a JSON string is a TOML string once U+007F is escaped."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(part)}" for name, part in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _head(task: Task, workspace: Workspace) -> Iterator[str]:
    yield f"instruction = {_toml(task.instruction)}"
    yield f"rules = {_toml(RULES_DOCUMENT)}"
    yield f"clock = {workspace.clock.strftime('%Y-%m-%dT%H:%M:%SZ')}"


def _expected(truth: Truth, wanted: Mapping[str, str]) -> Iterator[str]:
    expected = expectation_of(truth)
    yield "\n[expected]"
    yield f"outcome = {_toml(expected.outcome)}"
    if expected.message is not None:
        yield f"answer = {_toml(expected.message)}"
    for name, values in (
        ("contains", expected.tokens),
        ("lacks", expected.forbidden if expected.message is None else ()),
        ("references", sorted(expected.references)),
        ("tolerated", sorted(expected.tolerated)),
        ("free", expected.free),
    ):
        if values:
            yield f"{name} = {_toml(list(values))}"
    if isinstance(truth.measure, FraudMeasure):
        yield from _rows(truth.measure.rows)
    for path in sorted(truth.changes):
        yield f"\n[[expected.change]]\npath = {_toml(path)}"
        yield f"file = {_toml(wanted[path])}" if path in wanted else "deleted = true"


def _rows(rows: RowShares) -> Iterator[str]:
    yield f"\n[expected.rows]\nfile = {_toml(rows.file)}"
    yield f"right = {_toml({row: rows.weights[row] for row in sorted(rows.right)})}"
    yield f"wrong = {_toml({row: cents for row, cents in rows.weights.items() if row not in rows.right})}"


def _tools(workspace: Workspace) -> Iterator[str]:
    context = ToolContext(FileTree(workspace.files), workspace)
    calls = {
        "checkout": _checkout_calls(workspace),
        "discount": _discount_calls(workspace),
        "payments": _restart_calls(context),
        "refund": _refund_calls(workspace),
    }
    for declared in EXECUTABLES:
        name = declared.path.rsplit("/", 1)[1]
        tool = TOOLS[name]
        usage = tool.usage if isinstance(tool.usage, str) else tool.usage(workspace.names)
        yield f"\n[[tool]]\npath = {_toml(declared.path)}\nsummary = {_toml(declared.summary)}\nhelp = {_toml(usage)}"
        if declared.kind is ExecutableKind.CHANGES:
            yield 'kind = "changes"'
            yield from calls[name]
        elif name in ("id", "date"):
            yield from _call(prints=tool.execute(context, (), "").stdout)
        elif name == "cat":
            yield from _call(args="(.+)", shows="{1}")
        else:
            is_down = name == "sql" and not workspace.sql_is_up
            error = tool.execute(context, ("select 1",), "").stderr if is_down else f"{name}: {NOT_HERE}"
            yield from _call(args=ANYTHING, error=error, exit_code=1)


def _call(**values: Plain) -> Iterator[str]:
    yield "\n[[tool.call]]"
    yield from (f"{name} = {_toml(value)}" for name, value in values.items())


def _place(workspace: Workspace, root: str) -> str:
    """Return the pattern of the record with the id `{1}` below a root."""
    folders = next(path for path in workspace.files if path.startswith(f"{root}/")).count("/") - root.count("/") - 1
    return f"{root}{'/*' * folders}/{{1}}.json"


def _checkout_calls(workspace: Workspace) -> Iterator[str]:
    names = workspace.names
    place, done = _place(workspace, workspace.roots.baskets), names.shown({"status": "checked_out"})
    yield from _call(args=WORD, file=place, when=done, error="checkout: {1} is checked out already\n", exit_code=1)
    yield from _call(
        args=WORD,
        file=place,
        set=done,
        prints=f"{names.printed['checked_out']} {{1}}\n",
    )


def _discount_calls(workspace: Workspace) -> Iterator[str]:
    names = workspace.names
    discount: dict[str, Plain] = {"percent": "{2}", "reason_code": "{3}", "issuer_id": "{4}"}
    yield from _call(
        args=rf"{WORD} ([1-9][0-9]?|100) {WORD} {WORD}",
        file=_place(workspace, workspace.roots.baskets),
        set=names.shown({"discount": discount}),
        prints=f"{names.printed['discounted']} {{1}} {{2}} {{3}} {{4}}\n",
    )


def _refund_calls(workspace: Workspace) -> Iterator[str]:
    names = workspace.names
    for verb, status in (("approve", "refund_pending"), ("close", "closed")):
        yield from _call(
            args=f"{names.verb(verb)} {WORD}",
            file=_place(workspace, workspace.roots.returns),
            set=names.shown({"status": status}),
            prints=f"{names.state(status)} {{1}}\n",
        )


def _restart_calls(context: ToolContext) -> Iterator[str]:
    """Yield two calls for each payment with a verification, made on a copy of the world to see what they change."""
    names = context.workspace.names
    field = names.field("verification")
    for path, payment in list(context.records(context.workspace.roots.payments)):
        if not isinstance(payment.get("verification"), dict):
            continue
        words = (names.verb("restart"), str(payment["id"]))
        for _ in range(RESTARTS):
            before = json.loads(context.text(path))[field]
            done = TOOLS["payments"].execute(context, words, "")
            after = json.loads(context.text(path))[field]
            changes = {"when": {field: before}, "set": {field: after}}
            yield from _call(args=" ".join(words), file=path, **changes, prints=done.stdout)


def main(arguments: list[str]) -> int:
    """Write the tasks and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecom.export", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder")
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="NAME",
        help="a task or a family; the first eight tasks if not given",
    )
    add_world_options(parser)
    given = parser.parse_args(arguments)
    if given.folder.exists() and (not given.folder.is_dir() or any(given.folder.iterdir())):
        parser.error(f"{given.folder} is not empty; name a new folder")
    selection = TaskSelection(tuple(given.task))
    try:
        tries = selection.tries(selection.task_ids(EcomBenchmark().describe()))
    except BenchmarkError as unknown:
        parser.error(unknown.message)
    settings, written = WorldSettings(names=given.names, wordings=given.wordings), 0
    for task_id in (trial.task_id for trial in tries):
        task = pose_task(task_id, TrialId(task_id, 0, given.seed, "", "").world_seed, settings)
        if not is_expressible(task.truth):
            print(f"{task_id} is left out: a simulation scores it, and a folder has no simulation")
            continue
        write_task(task, given.folder / task_id)
        written += 1
        if not given.task and written == USUAL:
            break
    print(f"{written} tasks in {given.folder}; play them with --benchmark folder:{given.folder}")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
