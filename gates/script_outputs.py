"""What scripts print that they computed from values that were read, told apart from words of their own.

Reads the syntax tree of scripts, and never runs one. Literals prove nothing, whether a script prints one or makes
another value of it: the output of a script counts only if its literals were read, or only compare, select, label, or
scale by a usual factor.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from typing import Final

from gates.evidence import seen_text

_RATIOS: Final = (
    *(36, 48, 52, 72, 96, 168, 180, 360, 365, 365.25, 366, 1440, 3600, 8760, 86_400),
    *(1024, 1024**2, 1024**3, 5 / 9, 1.8, 2.54, 0.3048, 1.609, 1.609344, 0.4536, 0.45359237, 28.35),
)
"""Ratios between units of time, data, and measure."""
_SHOWING: Final = frozenset(("print", "console", "sys", "logging", "warnings"))
_STORING: Final = frozenset(("append", "add", "insert", "extend", "update", "setdefault", "replace"))
_KEEPING: Final = re.compile(r"scratchpad\[(?!.(?:answer|outcome|refs_why|facts|tokens|changes)\b)")
"""The scratchpad under a key that is not submitted: a later script may read it."""


class ScriptOutputs:
    """What the scripts of one trial printed, and what they put into its answer."""

    def __init__(self, steps: Iterable[tuple[str, str]], stands: Callable[[str], bool]) -> None:
        """Read each step, its code and its output. `stands` says whether what was read states a number or a text."""
        self.printed: list[str] = []
        """What each step printed, without own words."""
        self._words = ""
        self._has_own = keeps_own = False
        for code, output in steps:
            script = _Script(code, stands)
            self._words += f"{script.words}\n"
            if not (script.has_own or keeps_own):
                self.printed.append(seen_text(output, echoed=self._words).without_echo)
            keeps_own |= script.has_own and bool(_KEEPING.search(code))
            self._has_own |= script.has_own

    def stated(self, answer: str) -> str:
        """Return what an answer states without the scripts' literals; empty if a script makes values of its own."""
        is_computed = self._words and not self._has_own
        return seen_text(answer, echoed=self._words).without_echo if is_computed else ""


class _Script:
    """The literals of one script, by where they flow."""

    def __init__(self, code: str, stands: Callable[[str], bool]) -> None:
        self._stands = stands
        is_deep = False
        try:
            tree = ast.parse(code)
            ast.unparse(tree)
        except (SyntaxError, ValueError, RecursionError) as error:
            tree, is_deep = ast.Module([], []), isinstance(error, RecursionError)
        self._nodes = list(ast.walk(tree))
        values = [str(node.value) for node in self._nodes if isinstance(node, ast.Constant)]
        self.words = "\n".join(value for value in values if not stands(value)) if values else code
        """The words of its literals that nothing read states."""
        self._parents = {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}
        imports = (node.names for node in self._nodes if isinstance(node, ast.Import | ast.ImportFrom))
        self._imported = {one.asname or one.name for names in imports for one in names}
        self.has_own = is_deep or any(isinstance(node, ast.Constant) and self._is_own(node) for node in self._nodes)

    def _is_own(self, literal: ast.Constant) -> bool:
        """Say whether a literal may make a value that does not rest on what was read."""
        node: ast.expr = literal
        parent = self._parents[literal]
        while isinstance(parent, ast.UnaryOp):  # `text[-300:]`
            node, parent = parent, self._parents[parent]
        match literal.value:
            case str() as text:
                is_apart = re.fullmatch(r"[1-9]", text) or (re.search(r"\d\d", text) and not self._stands(text))
            case int() | float() as number if not isinstance(number, bool):
                is_apart = not self._may_compute(float(min(abs(number), 1e300)), parent)
            case _:
                return False
        return bool(is_apart) and not self._selects(node, parent)

    def _selects(self, node: ast.AST, parent: ast.AST) -> bool:
        """Say whether a literal only compares, selects or labels: where it is printed, it is compared word by word."""
        match parent:
            case ast.Compare() | ast.Slice() | ast.JoinedStr() | ast.Expr():
                return True
            case ast.Subscript(slice=index):
                return node is index
            case ast.Dict(keys=keys):
                return node in keys and _is_text(node)
            case ast.keyword():
                call = self._parents[parent]
                name = ast.unparse(call.func) if isinstance(call, ast.Call) else "dict"
                return name.rpartition(".")[2] not in ("timedelta", "dict", "replace")
            case ast.Call(func=ast.Name(id=name), keywords=keywords):
                return name in _SHOWING and not keywords
            case ast.Call(func=ast.Attribute(attr=name) as method):
                root = _root_of(method)
                return root in ("harness", "re", *_SHOWING) or not (root in self._imported or name in _STORING)
            case _:
                return False

    def _may_compute(self, number: float, parent: ast.AST) -> bool:
        """Say whether a number was read, or scales or counts what was."""
        shares = [100 * number, 100 * (number - 1), 100 * (1 - number), 1000 * number] if 0 < number < 2 else []
        shares += [number / 1e3, number / 1e6] if number >= 10_000 else []  # `1.3 million`
        is_read = any(self._stands(f"{round(one, 6):.15g}") for one in (number, *shares) if one > 0)
        if is_read or number < 0.01 or number == 1:
            return True
        match parent:
            case ast.BinOp(ast.Constant(value=100)) if number == 100:
                return True  # What a share leaves, or adds.
            case ast.FormattedValue() | ast.keyword():
                return False
            case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
                return False
            case _:
                is_round = len(f"{number:.10f}".strip("0.")) == 1
                return is_round or number in _RATIOS or (number <= 31 and number == int(number))


def _root_of(node: ast.AST) -> str:
    """Return the name at the beginning of `a.b(c)[d]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
