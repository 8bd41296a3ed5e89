"""What scripts print that they computed from values that were read, told apart from words of their own.

Reads the syntax tree of scripts, and never runs one. Literals prove nothing, whether a script prints one or makes
another value of it: the output of a script counts only if its literals were read, or only compare, select, label, or
scale by a usual factor. A literal that is stored in the scratchpad, and never read from it, was not printed.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final

from gates.evidence import seen_text
from gates.value_rules import without_echo

_TIME_RATIOS: Final = (36, 48, 52, 180, 360, 365, 365.25, 366, 1440, 3600, 86_400)
_UNIT_RATIOS: Final = (1024, 1024**2, 1024**3, 5 / 9, 1.8, 2.54, 0.3048, 1.609, 1.609344, 0.4536, 0.45359237, 28.35)
_SMALL: Final = 31
_MONTHS: Final = 12
"""Numbers up to this one may stand in a list, as the months of a quarter."""
_SHOWING: Final = frozenset(("print", "console", "sys", "logging", "warnings"))
_STORING: Final = frozenset(("append", "add", "insert", "extend", "update", "setdefault", "get"))
_MAKING: Final = frozenset(("replace", "sub", "join", "translate"))
"""Methods that make a text of their arguments."""
_MEASURING: Final = frozenset(("len", "ord", "hash", "int", "float", "Decimal", "Fraction"))
_MOST_BINDINGS: Final = 8
"""Names through which a text may come into the answer, one after the other."""
_PAD: Final = "scratchpad"
_SUBMITTED: Final = ("answer", "outcome", "refs_why", "facts", "tokens", "changes")
"""The keys of the scratchpad that are submitted."""
_SUBMITTING: Final = ("harness.answer", *(f"{_PAD}.{name}" for name in ("cite", "cite_all", "uncite")))
_DIGITS: Final = re.compile(r"\d\d|^\d$")


class ScriptOutputs:
    """What the scripts of one trial printed, and what they put into its answer."""

    def __init__(self, steps: Iterable[tuple[str, str]], stands: Callable[[str], bool]) -> None:
        """Read each step, its code and its output. `stands` says whether what was read states a number or a text."""
        self.printed: list[str] = []
        """What each step printed, without own words."""
        self._code = words = ""
        self._has_own = keeps_own = submits_own = is_shown = False
        for code, output in steps:
            script = _Script(code, stands)
            self._code += f"{script.code}\n"
            words += f"{script.words}\n"
            is_shown |= script.shows_submission
            submits_own |= bool(script.own_submitted)
            if not (script.has_own or keeps_own or (is_shown and submits_own)):
                self.printed.append(without_echo(seen_text(output, echoed=self._code if is_shown else words)))
            keeps_own |= script.has_own and script.keeps_values
            self._has_own |= script.has_own or not all(map(_is_text, script.own_submitted))

    def stated(self, answer: str) -> str:
        """Return what an answer states without the scripts' literals; empty if a script makes values of its own."""
        is_computed = self._code and not self._has_own
        return without_echo(seen_text(answer, echoed=self._code)) if is_computed else ""


class _Script:
    """The literals of one script, by where they flow."""

    def __init__(self, code: str, stands: Callable[[str], bool]) -> None:
        self._stands = stands
        is_deep = False
        try:
            tree = ast.parse(code)
            self.code = ast.unparse(tree)
        except (SyntaxError, ValueError, RecursionError) as error:
            tree, self.code, is_deep = ast.Module([], []), code, isinstance(error, RecursionError)
        self._nodes = list(ast.walk(tree))
        self._parents = {child: node for node in self._nodes for child in ast.iter_child_nodes(node)}
        self._literals = dict(pair for node in self._nodes for pair in _bindings_of(node) if _is_literal(pair[1]))
        """The literals to which names are bound."""
        imports = (node.names for node in self._nodes if isinstance(node, ast.Import))
        self._modules = {one.asname or one.name for names in imports for one in names}
        functions = [node for node in self._nodes if isinstance(node, ast.FunctionDef)]
        loud = {node.name for node in functions if not all(map(self._is_quiet, node.body))}
        self._quiet = {node.name for node in functions} - loud
        """The functions that show and store nothing."""
        submitted = self._submitted()
        own = {node for node in self._nodes if self._is_own(node)}
        self.has_own, self.own_submitted = is_deep or bool(own - submitted), own & submitted
        pads = [node for node in self._nodes if isinstance(node, ast.Subscript) and _root_of(node) == _PAD]
        self.keeps_values = any(isinstance(one.ctx, ast.Store) and _key_of(one) not in _SUBMITTED for one in pads)
        self.shows_submission = any(self._shows_submission(node) for node in self._nodes if node not in submitted)
        for node in submitted:
            if isinstance(node, ast.Constant):
                node.value = ""
        self.words = ast.unparse(tree) or self.code
        """The code without the literals that are only submitted."""

    def _is_own(self, node: ast.AST) -> bool:
        """Say whether a node makes a value that need not rest on what was read."""
        match node:
            case ast.Constant(value=str() as text):
                return bool(_DIGITS.search(text)) and not self._is_shown_as_is(node) and not self._stands(text)
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return not (self._is_shown_as_is(node) or self._may_compute(node, number))
            case ast.JoinedStr(values=parts):
                values = [isinstance(part, ast.FormattedValue) and self._is_bound(part.value) for part in parts]
                return any(one and other for one, other in pairwise(values))
            case ast.BinOp(left=left, op=op, right=right):
                made = _folded(node)
                is_sum = isinstance(op, ast.Add | ast.Sub)
                if made is not None and not _is_factor(made):
                    return not any(self._is_read(part) for part in ast.walk(node))
                return is_sum and all(map(self._is_bound, (left, right))) and not all(map(self._is_read, (left, right)))
            case ast.Call(args=arguments, keywords=keywords):
                return self._is_own_call(node, arguments, {one.arg for one in keywords})
            case _:
                return False

    def _is_own_call(self, node: ast.Call, arguments: list[ast.expr], keywords: set[str | None]) -> bool:
        name, first = _called(node), arguments[0] if arguments else None
        literals = [part for one in arguments for part in ast.walk(one) if isinstance(part, ast.Constant)]
        with_digits = [part for part in literals if any(map(str.isdigit, str(part.value)))]
        if name in _MEASURING and first is not None and _is_literal(first):
            return name in ("len", "ord", "hash") or not self._is_read(first)
        if name in ("date", "datetime") and len(arguments) >= 3 and all(_folded(one) is not None for one in arguments):
            return not self._stands("-".join(f"{_folded(one):02.0f}" for one in arguments[:3]))
        if name == "print" and keywords & {"sep", "end"}:
            return bool(with_digits)
        if name == "join":
            return first is not None and _is_literal(first) and bool(with_digits)
        return name in _MAKING and any(part in with_digits and isinstance(part.value, str) for part in arguments[1:])

    def _is_shown_as_is(self, node: ast.AST) -> bool:
        """Say whether a literal only compares, selects or labels: where it is printed, it is compared word by word."""
        parent = self._parents.get(node)
        match parent:
            case ast.UnaryOp():
                return self._is_shown_as_is(parent)
            case ast.Compare():
                return not any(isinstance(one, ast.While) for one in self._above(parent))
            case ast.Slice() | ast.JoinedStr() | ast.FormattedValue() | ast.Expr():
                return True
            case ast.Subscript(slice=index):
                return node is index
            case ast.Dict(keys=keys):
                return node in keys and _is_text(node)
            case ast.BinOp(left=left, op=op, right=right):
                if any(isinstance(one, ast.Call) and _called(one) in _MEASURING for one in self._above(parent)):
                    return False
                other = right if node is left else left
                is_line = _is_text(other) and not any(map(str.isalnum, ast.unparse(other)))
                return (isinstance(op, ast.Mult) and is_line) or (_is_text(node) and not self._is_bound(other))
            case ast.Call() | ast.keyword():
                return self._only_selects(parent, node)
            case _:
                return False

    def _only_selects(self, parent: ast.Call | ast.keyword, node: ast.AST) -> bool:
        call = self._parents[parent] if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call):
            return False
        root, name = _root_of(call.func), _called(call)
        if root in {"harness", "re", *_SHOWING} or name in ("cite", "cite_all"):
            return True
        if name == "round":
            return node is not call.args[0]
        is_method = isinstance(call.func, ast.Attribute) and root not in self._modules
        is_passing = is_method or (isinstance(parent, ast.keyword) and name not in ("timedelta", "dict"))
        return is_passing and name not in _STORING and not (name == "replace" and isinstance(parent, ast.keyword))

    def _may_compute(self, node: ast.AST, number: float) -> bool:
        """Say whether a number was read, or scales or counts what was."""
        if number in (0, 1) or 0 < number < 0.01 or self._is_read(node):
            return True
        parent = self._parents.get(node)
        while isinstance(parent, ast.UnaryOp):
            parent = self._parents.get(parent)
        match parent:
            case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
                return False
            case ast.List() | ast.Tuple() | ast.Set() | ast.Dict():
                return number <= _MONTHS
            case ast.keyword():  # of `timedelta`
                return number == 7
            case _:
                return _is_factor(number)

    def _is_bound(self, node: ast.AST) -> bool:
        """Say whether an expression is a literal, or a name of one, that may be joined to or added to another."""
        node = self._literals.get(node.id, node) if isinstance(node, ast.Name) else node
        if isinstance(node, ast.BinOp):
            return self._is_bound(node.left) and self._is_bound(node.right)
        return _is_literal(node) and any(map(str.isdigit, ast.unparse(node))) and _folded(node) not in (0, 1)

    def _is_read(self, node: ast.AST) -> bool:
        node = self._literals.get(node.id, node) if isinstance(node, ast.Name) else node
        number = _folded(node)
        if number is None and isinstance(node, ast.BinOp):
            sides = map(self._is_read, (node.left, node.right))
            return all(sides) if isinstance(node.op, ast.Add | ast.Sub) else any(sides)
        if number is None:
            return isinstance(node, ast.Constant) and self._stands(str(node.value))
        shares = (100 * number, 100 * (number - 1), 100 * (1 - number)) if 0 < number < 2 else ()
        return any(self._stands(f"{round(one, 6):.15g}") for one in (number, *shares) if one > 0)

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self._parents:
            node = self._parents[node]
            yield node

    def _submitted(self) -> set[ast.AST]:
        """Return what only flows into the answer: what is stored under its keys, and given to the calls for it."""
        found: set[ast.AST] = set()
        for node in self._nodes:
            if isinstance(node, ast.Assign) and all(_key_of(one) in _SUBMITTED for one in _flat(node.targets)):
                found |= {*ast.walk(node.value)}
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in _SUBMITTING:
                found |= {part for one in (*node.args, *node.keywords) for part in ast.walk(one)}
        loads: dict[str, list[ast.AST]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                loads.setdefault(node.id, []).append(node)
        attributes = {node.attr for node in self._nodes if isinstance(node, ast.Attribute)}
        for _ in range(_MOST_BINDINGS):
            size = len(found)
            for node in self._nodes:
                if isinstance(node, ast.Assign | ast.AugAssign):
                    targets = _flat(node.targets if isinstance(node, ast.Assign) else [node.target])
                    bound = {one.id if isinstance(one, ast.Name) else "" for one in targets}
                    is_apart = not bound & {"", *attributes} and any(name in loads for name in bound)
                    if is_apart and all(found.issuperset(loads.get(name, ())) for name in bound):
                        found |= {*ast.walk(node.value)}
            if size == len(found):
                break
        return found

    def _shows_submission(self, node: ast.AST) -> bool:
        """Say whether a node may show what is stored for the answer."""
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "harness.answer":
            is_caught = any(isinstance(one, ast.Try) and one.handlers for one in self._above(node))
            return is_caught or not all(map(self._is_quiet, node.args[1:]))
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return False
        if node.id != _PAD:
            return node.id in ("locals", "globals", "vars", "eval", "exec")
        above = list(self._above(node))
        if any(isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) for one in above):
            return False
        match above[0]:
            case ast.Subscript() as part:
                is_shown = _key_of(part) in (*_SUBMITTED, "")
            case ast.Attribute(attr=name):
                is_shown = f"{_PAD}.{name}" not in _SUBMITTING
            case parent:
                is_shown = not isinstance(parent, ast.Compare)
        return is_shown and not any(isinstance(one, ast.FunctionDef) and one.name in self._quiet for one in above)

    def _is_quiet(self, function: ast.AST) -> bool:
        """Say whether a function that looks at the answer shows and stores nothing."""
        if isinstance(function, ast.Name):
            return function.id in self._quiet
        for node in ast.walk(function):
            if isinstance(node, ast.Raise | ast.Global | ast.Nonlocal | ast.Yield | ast.FunctionDef):
                return False
            if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
                return False
            if isinstance(node, ast.Assert) and node.msg is not None:
                return False
            if isinstance(node, ast.Call):
                is_plain = isinstance(node.func, ast.Attribute) or _called(node) in dir(builtins)
                if not is_plain or _root_of(node.func) in _SHOWING or _called(node) in _STORING - {"get"}:
                    return False
        return True


def _bindings_of(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield each name that an assignment binds, with the expression to which it binds the name."""
    if not isinstance(node, ast.Assign | ast.NamedExpr):
        return
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        targets, values = _flat([target]), _flat([node.value])
        for one, value in zip(
            targets, values if len(values) == len(targets) else [node.value] * len(targets), strict=True
        ):
            if isinstance(one, ast.Name):
                yield one.id, value


def _flat(targets: Iterable[ast.expr]) -> list[ast.expr]:
    return [one for each in targets for one in (each.elts if isinstance(each, ast.Tuple | ast.List) else [each])]


def _root_of(node: ast.AST) -> str:
    """Return the name at the beginning of `a.b(c)[d]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _key_of(node: ast.AST) -> str:
    """Return the first key in `scratchpad["a"]["b"]`; empty if it is no literal, or for anything else."""
    while isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
        node = node.value
    key = node.slice if isinstance(node, ast.Subscript) and _root_of(node) == _PAD else None
    return str(key.value) if isinstance(key, ast.Constant) else ""


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rpartition(".")[2]


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_literal(node: ast.AST) -> bool:
    return not any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node))


def _is_factor(number: float) -> bool:
    """Say whether a number is one by which values are scaled: a small one, a round one, a ratio of units."""
    is_round = re.fullmatch(r"0*\.?0*[1-9]0*(\.0)?", f"{number:f}".rstrip("0") if number % 1 else f"{number:.0f}")
    return (
        number in (*_TIME_RATIOS, *_UNIT_RATIOS)
        or (number == int(number) and abs(number) <= _SMALL)
        or is_round is not None
    )


def _folded(node: ast.AST) -> float | None:
    """Return the number that literals make; None if an expression holds anything else."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            made = _folded(operand)
            return None if made is None else -made
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
            one, other = _folded(left), _folded(right)
            if one is None or other is None:
                return None
            if isinstance(op, ast.Div):
                return one / other if other else None
            return one * other if isinstance(op, ast.Mult) else one + other if isinstance(op, ast.Add) else one - other
        case _:
            return None
