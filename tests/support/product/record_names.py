"""Names in a module's source that mean a record: what an earlier attempt at a trial did.

`names_of_records(ast.parse("def play(earlier: TrialRecord): ..."))` has `earlier`, and the names that
mean a record in every module, such as `tape`.
"""

import ast

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
