"""Code by which a program takes in bytes: which calls and imports do so, and what they take in.

A program may read a file, start a process, connect a socket, import a module or decode a text.
`kinds_of` tells which of these a node of a syntax tree does:

    path.read_text()     -> {"file"}
    import http.client   -> {"socket"}
    session.run(script)  -> set(), although `subprocess.run(words)` starts a process
"""

import ast
import re

from tests.support.entries.byte_names import (
    AMBIGUOUS_CALLS,
    KIND_OF_CALL,
    KIND_OF_MODULE,
    OTHER_RECEIVERS,
)


def kinds_of(node: ast.AST) -> set[str]:
    """Return what a node takes in, such as `{"file"}` for `path.read_text()`; often nothing."""
    match node:
        case ast.Import():
            return kinds_of_imports([alias.name for alias in node.names])
        case ast.ImportFrom():
            return kinds_of_imports([node.module or ""])
        case ast.Call():
            return kinds_of_call(node)
    return set()


def kinds_of_imports(names: list[str]) -> set[str]:
    """Return what modules of these names take in: `{"socket"}` for `http.client`."""
    kinds: set[str] = set()
    for name in names:
        for module, kind in KIND_OF_MODULE.items():
            if name == module or name.startswith(f"{module}."):
                kinds.add(kind)
    return kinds


def kinds_of_call(call: ast.Call) -> set[str]:
    """Return the kind of a call, as a set of one or none.

    `open(path)` or `path.open()` -> `{"file"}`; `session.run(script)` -> `set()`
    """
    function = call.func
    is_method = isinstance(function, ast.Attribute)
    name = function.attr if is_method else getattr(function, "id", "")
    if name not in KIND_OF_CALL:
        return set()
    if name in AMBIGUOUS_CALLS and is_method:
        # The first name in front of the method: "session" of `session.turn(4).run(script)`.
        receiver = re.split(r"[.(]", ast.unparse(function.value))[0]
        if receiver in OTHER_RECEIVERS:
            return set()
    return {KIND_OF_CALL[name]}
