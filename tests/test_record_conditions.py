"""Only the tape, the reader of journals and the
replays ask whether there is a record of a trial."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.product_files import ROOT

TAPE = "agent/evidence/tape"
READER = ("agent/record", "controlplane/journal")
REPLAYS = "controlplane/replay"
ALLOWED = (TAPE, *READER, REPLAYS)

PLAYING = (
    "agent",
    "controlplane/lifecycle",
    "controlplane/mcp",
    "controlplane/workers",
)
"""The packages that play trials. Views and reports show
records; benchmarks, sandbox and gates know none."""

RECORD_TYPES = ("TrialRecord", "Tape")
RECORD_NAMES = frozenset(
    {
        "all_steps",
        "has_begun",
        "initial_prompt",
        "is_rebuilt",
        "is_replay",
        "is_resumed",
        "recorded",
        "side_replies",
        "tape",
    }
)
"""Names of a record, or of what only a record has."""


def modules() -> list[Path]:
    paths = []
    for package in PLAYING:
        paths += sorted((ROOT / package).rglob("*.py"))
    return paths


def conditions(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield every expression that decides something."""
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
    """Return the parameters, fields and variables
    that a module declares to be a record or a tape."""
    names = set(RECORD_NAMES)
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as annotation):
                name = node.arg
            case ast.AnnAssign(target=ast.Name() as target, annotation=annotation):
                name = target.id
            case _:
                continue
        if any(record_type in ast.unparse(annotation) for record_type in RECORD_TYPES):
            names.add(name)
    return names


def name_of(node: ast.AST) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
    return ""


def questions_about_a_record(source: str) -> list[str]:
    tree = ast.parse(source)
    names = names_of_records(tree)
    questions = []
    for condition in conditions(tree):
        if any(name_of(node) in names for node in ast.walk(condition)):
            questions.append(ast.unparse(condition))
    return questions


@pytest.mark.parametrize(
    "source",
    [
        "if record.answer is None: pass\n",
        "reply = recorded or ask()\n",
        "def start(earlier: TrialRecord):\n    return 1 if earlier.steps else 2\n",
        "calls = [call for call in calls if not self.tape.is_replay]\n",
    ],
)
def test_a_question_is_seen(source: str) -> None:
    assert questions_about_a_record("record: TrialRecord\n" + source)


def test_only_tape_reader_and_replays_ask_whether_there_is_a_record() -> None:
    asking = {}
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(ALLOWED):
            questions = questions_about_a_record(path.read_text(encoding="utf-8"))
            if questions:
                asking[name] = questions

    assert asking == {}
