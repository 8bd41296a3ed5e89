"""Calls of the environment in a script: `harness.read("/a.md")`.

What a script computes from the result of such a call counts as computed, not as invented.
Some calls can return a number that the script itself chose. Their results do not count:

    harness.sql("select unicode('x') from t")     returns 120, the code of the script's `x`
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
"""Names of calls that return nothing that was read in the trial.

- `harness.help()` returns a manual.
- `harness.earlier()` returns the script's own words.
- The others change or submit something, and return only a confirmation.
"""
CHARACTER_CODE: Final = re2.compile(r"(?i)\b(?:unicode|ascii|ord|char|chr)\s*\(")
"""Functions of SQL that turn a letter into a number, or a number into a letter: `unicode('x')`.

A query that uses one can return a number that is in no table: 120 for `unicode('x')`.
"""


@dataclass(frozen=True, slots=True)
class PathCall:
    """A call of the environment that names a path."""

    path: str
    text: str
    """The call in one short line."""


def path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment that may name a path: `harness.read("/a.md")`.

    Every text among the arguments may be the path, so a call with two texts is yielded twice.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not is_environment_call(node):
            continue
        for argument in arguments_of(node):
            match argument:
                case ast.Constant(value=str() as path):
                    yield PathCall(path, short_text(ast.unparse(node)))


def is_environment_call(call: ast.Call) -> bool:
    """Return True for `harness.read(path)` and `harness.mail.send(text)`, not for `harness()`."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    while isinstance(owner, ast.Attribute):  # from `harness.mail` to `harness`
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id == ENVIRONMENT


def returns_what_was_read(call: ast.Call) -> bool:
    """Return True if a call of the environment returns only what was read.

    True for `harness.read("/a.md")`; False for `harness.help()`, and for
    `harness.sql("select unicode('x') from t")`, by which the script chooses the number 120.
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
