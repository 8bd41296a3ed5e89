"""Small changes to the decisions of a Python source: comparisons, conditions, filters, answers of yes and no."""

from __future__ import annotations

import ast
import copy
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPPOSITE = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """One changed decision; `function` is where it stands."""

    module: str
    function: str
    before: str
    after: str
    source: str
    line: int = 0
    repeat: int = 0
    """How many changes of the same words stand before it in its function."""

    def __str__(self) -> str:
        """Return what tells it from all others and outlives a moved line."""
        again = f" ({self.repeat + 1})" if self.repeat else ""
        return f"{self.module}.{self.function}: {_quoted(self.before)} -> {_quoted(self.after)}{again}"


def _quoted(code: str) -> str:
    """Return `code` in as many back quotes as Markdown needs around it."""
    return f"`` {code} ``" if "`" in code else f"`{code}`"


def mutants_of(source: str, module: str) -> Iterator[Mutant]:
    """Yield every mutant of a module's source, each once."""
    statements = ast.parse(source).body
    parts = [ast.unparse(each) for each in statements]
    counts: Counter[tuple[str, str, str]] = Counter()
    for number, statement in enumerate(statements):
        seen = {parts[number]}
        for (place, variant), (node, name) in _decisions(statement):
            changed = copy.deepcopy(statement)
            target = next(itertools.islice(ast.walk(changed), place, None))
            before = ast.unparse(_shown(target)).strip()
            _changes(target)[variant]()
            after = ast.unparse(changed)
            if after not in seen:
                seen.add(after)
                told = (name, before, ast.unparse(_shown(target)).strip())
                whole = "\n".join([*parts[:number], after, *parts[number + 1 :]])
                yield Mutant(module, *told, whole, getattr(node, "lineno", 0) or node.iter.lineno, counts[told])
                counts[told] += 1


def _decisions(statement: ast.stmt) -> Iterator[tuple[tuple[int, int], tuple[ast.AST, str]]]:
    """Yield the place in the walk and the number of every change, with its node and the function around it."""
    names = dict(_functions(ast.Module([statement], []), ""))
    for place, node in enumerate(ast.walk(statement)):
        for variant in range(len(_changes(node))):
            yield (place, variant), (node, names[node])


def _functions(node: ast.AST, name: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield every node with the name of the function around it."""
    yield node, name
    for child in ast.iter_child_nodes(node):
        is_named = isinstance(child, ast.FunctionDef | ast.ClassDef)
        yield from _functions(child, f"{name}.{child.name}".lstrip(".") if is_named else name)


def _shown(node: ast.AST) -> ast.AST:
    """Return the part of a node that tells what was changed: of a statement its condition."""
    return node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else node


def _changes(node: ast.AST) -> list[Callable[[], object]]:
    """Return functions, each of which changes the node in its own way."""
    if isinstance(node, ast.Compare):
        return _changes_of_comparison(node)
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return [
            lambda: setattr(node, "op", other),
            *(lambda place=place: node.values.pop(place) for place in range(len(node.values))),
        ]
    if isinstance(node, ast.If | ast.IfExp):
        return [lambda value=value: setattr(node, "test", ast.Constant(value)) for value in (False, True)]
    if isinstance(node, ast.While):
        return [lambda: setattr(node, "test", ast.Constant(False))]
    if isinstance(node, ast.comprehension):
        return [lambda place=place: node.ifs.pop(place) for place in range(len(node.ifs))]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        doubled = ast.UnaryOp(ast.Not(), node.operand)
        return [lambda: setattr(node, "operand", doubled)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OPPOSITE:
        return [lambda: setattr(node.func, "id", OPPOSITE[node.func.id])]
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool):
        return [lambda: setattr(node.value, "value", not node.value.value)]
    return []


def _changes_of_comparison(node: ast.Compare) -> list[Callable[[], object]]:
    found: list[Callable[[], object]] = []
    for place, operator in enumerate(node.ops):
        other = SWAPS[type(operator)]()
        found.append(lambda place=place, other=other: node.ops.__setitem__(place, other))
    for right in node.comparators:
        if isinstance(right, ast.Constant) and type(right.value) is int:
            found.append(lambda right=right: setattr(right, "value", right.value + 1))
    return found
