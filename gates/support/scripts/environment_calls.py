"""Calls of the environment in a script: `harness.read("/a.md")`.

What a script computes from their results counts as computed, not as invented. So a call
must not count if the script could have a number of its own returned by it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import re2

from controlplane.gates.support.scripts.script_expressions import short_text
from controlplane.gates.support.scripts.script_syntax import ENVIRONMENT, arguments_of

CALLS_THAT_READ_NOTHING: Final = frozenset(
    {"answer", "earlier", "help", "write", "delete", "mkdir", "move"}
)
"""Calls that return nothing that was read in the trial.

`harness.help()` returns a manual, `harness.earlier()` the script's own words. The others
change or submit something, and return only a confirmation.
"""
CHARACTER_CODE: Final = re2.compile(r"(?i)\b(?:unicode|ascii|ord|char|chr)\s*\(")
"""Functions of SQL that turn a letter into a number, or a number into a letter: `unicode('x')`.

By them, a query returns a number that is in no table, and has no digit that would show it.
"""


@dataclass(frozen=True, slots=True)
class PathCall:
    """A call of the environment that names a path."""

    path: str
    text: str
    """The call in one short line."""


def path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment that may name a path: `harness.read("/a.md")`.

    Any text among the arguments may be the path.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and is_environment_call(node):
            for argument in arguments_of(node):
                match argument:
                    case ast.Constant(value=str() as path):
                        yield PathCall(path, short_text(ast.unparse(node)))


def is_environment_call(call: ast.Call) -> bool:
    """Return True for a call of the environment, such as `harness.read` or `harness.mail.send`."""
    if not isinstance(call.func, ast.Attribute):
        return False
    value = call.func.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id == ENVIRONMENT


def returns_what_was_read(call: ast.Call) -> bool:
    """Return True if a call of the environment returns only what was read.

    `harness.sql("select unicode('x') from t")` does not: it returns 120, the code of the
    script's own `x`, so the script itself chose this number.
    """
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in CALLS_THAT_READ_NOTHING:
        return False
    return not _has_character_code(call)


def _has_character_code(call: ast.Call) -> bool:
    """Return True if a text among the arguments of a call uses a function of `CHARACTER_CODE`."""
    for node in ast.walk(call):
        match node:
            case ast.Constant(value=str() as text):
                # RE2 cannot read lone surrogates; `replace` makes them question marks.
                if CHARACTER_CODE.search(text.encode(errors="replace").decode()):
                    return True
    return False
