"""Code that plays a trial does not ask whether it is playing it for the first time.

A trial is played anew, or goes on from the record of an earlier attempt, or is replayed from it. The
*tape* gives a recorded result or makes the call, so that all other code need not know. If it knew, a
resumed trial could behave differently. So these tests look for conditions such as

    if self.tape.is_replay: ...     # found: "self.tape.is_replay"

in all modules that play trials. Whoever gives a record a new field that says what has been recorded adds
its name to `FIELDS_OF_RECORDS`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.product_files import ROOT

RECORD_TYPES = ("TrialRecord", "Tape")
"""A parameter, field or variable that is declared as one of these is a record."""

VARIABLES_WITH_RECORDS = frozenset({"recorded", "tape"})
"""Names of variables that mean a record in every module, declared or not."""

FIELDS_OF_RECORDS = frozenset(
    {
        "all_steps",
        "has_begun",
        "initial_prompt",
        "is_replay",
        "is_resumed",
        "next_environment",
        "side_replies",
    }
)
"""Fields that only a record or a tape has."""


def conditions(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield every expression of a module on which a decision depends.

    `reply = recorded or ask()` decides as well, without an `if`. So each `or`, `and` and comparison
    counts, wherever it stands; one in the test of an `if` is yielded twice.
    """
    for node in ast.walk(tree):
        match node:
            case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
                yield node.test
            case ast.Match():
                yield node.subject
            case ast.match_case(guard=ast.expr() as guard):
                yield guard
            case ast.comprehension():
                yield from node.ifs
            case ast.BoolOp() | ast.Compare():
                yield node


def names_of_records(tree: ast.AST) -> set[str]:
    """Return the names that mean a record in a module: the general ones, and each parameter,
    field or variable that is declared as one, such as `earlier: TrialRecord`."""
    names = {*VARIABLES_WITH_RECORDS, *FIELDS_OF_RECORDS}
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as annotation):
                name = node.arg
            case ast.AnnAssign(target=ast.Name() as target, annotation=annotation):
                name = target.id
            case _:
                continue
        declared_type = ast.unparse(annotation)
        if any(record_type in declared_type for record_type in RECORD_TYPES):
            names.add(name)
    return names


def name_of(node: ast.AST) -> str:
    """Return the name of a variable or field (`tape` of `self.tape`), or ""."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
    return ""


def conditions_on_a_record(source: str) -> list[str]:
    """Return the conditions in a module that name a record, or a field that only a record has.

    `if self.tape.is_replay: ...` -> `["self.tape.is_replay"]`
    """
    tree = ast.parse(source)
    record_names = names_of_records(tree)
    texts: list[str] = []
    for condition in conditions(tree):
        if any(name_of(node) in record_names for node in ast.walk(condition)):
            texts.append(ast.unparse(condition))
    return texts


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("if record.answer is None: pass\n", id="if"),
        pytest.param("reply = recorded or ask()\n", id="or"),
        pytest.param(
            "def start(earlier: TrialRecord):\n    return 1 if earlier.steps else 2\n",
            id="conditional expression on a parameter",
        ),
        pytest.param(
            "calls = [call for call in calls if not self.tape.is_replay]\n",
            id="comprehension",
        ),
    ],
)
def test_a_condition_on_a_record_is_found(statement: str) -> None:
    """Each statement asks a record: `record`, `recorded`, a parameter declared as a `TrialRecord`,
    or `self.tape`. If such a condition were overlooked, the next test would prove nothing."""
    source = "record: TrialRecord\n" + statement

    assert conditions_on_a_record(source)


PLAYING_PACKAGES = (
    "agent",
    "controlplane/lifecycle",
    "controlplane/mcp",
    "controlplane/workers",
)
"""The packages that play trials. Views and reports only show records; benchmarks, sandbox and
gates never see one."""


def playing_modules() -> list[Path]:
    """Return the files of all modules that play trials."""
    paths: list[Path] = []
    for package in PLAYING_PACKAGES:
        paths += sorted((ROOT / package).rglob("*.py"))
    return paths


def test_only_tape_readers_and_replays_ask_whether_there_is_a_record() -> None:
    """Conditions are collected by module, so that a failure names the place."""
    conditions_of_module: dict[str, list[str]] = {}
    tape = "agent/evidence/tape"
    readers_of_journals = ("agent/record", "controlplane/journal")
    replays = "controlplane/replay"
    # The modules whose business is the record.
    allowed_to_ask = (tape, *readers_of_journals, replays)

    for path in playing_modules():
        module = path.relative_to(ROOT).as_posix()
        if module.startswith(allowed_to_ask):
            continue
        found_conditions = conditions_on_a_record(path.read_text(encoding="utf-8"))
        if found_conditions:
            conditions_of_module[module] = found_conditions

    assert conditions_of_module == {}
