"""Finds conditions on a record: code that asks whether a trial is played anew, resumed or replayed.

A *record* has what an earlier attempt at a trial did. A parameter that is declared as one, or a field that
only a record has, must not decide anything in code that plays trials:

    conditions_on_a_record("if self.tape.is_replay: ...")  # ["self.tape.is_replay"]

Whoever gives records a new field that says what has been recorded adds its name to `FIELDS_OF_RECORDS`
in `record_names.py`.
"""

import ast
from collections.abc import Iterator

from tests.support.product.record_names import name_of, names_of_records


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
