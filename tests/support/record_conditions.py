"""Finds conditions on a record: code that asks whether a trial is played anew, resumed or replayed.

A *record* has what an earlier attempt at a trial did. A parameter that is declared as one, or a field that
only a record has, must not decide anything in code that plays trials:

    conditions_on_a_record("if self.tape.is_replay: ...")  # ["self.tape.is_replay"]

Whoever gives records a new field that says what has been recorded adds its name to `FIELDS_OF_RECORDS`
below.
"""

import ast
from collections.abc import Iterator

# Names in a module's source that mean a record: what an earlier attempt at a trial did.
#
# `names_of_records(ast.parse("def play(earlier: TrialRecord): ..."))` has `earlier`, and the names that
# mean a record in every module, such as `tape`.

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
        "recorded_step",
        "side_replies",
        "tape_reader",
    }
)
"""Fields that only a record or a tape has."""


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
