"""All *entries* in the source of the product: where it takes in bytes that others may write.

They are of five groups:

- code: a module that reads files, imports and so on: "gates/rule_set_loading.py: import"
- variables: an environment variable that the product reads: "HOME"
- files: a name of a file that it opens: "controlplane.toml"
- events: a type of lines in a journal, which others may have written: "run_closed"
- options: an option of a command that takes a text: "--model"
"""

import ast
from functools import cache

from controlplane.agent.events import type_of
from controlplane.journal import run_events
from tests.support.entries.byte_calls import kinds_of
from tests.support.entries.named_entries import (
    file_names_of,
    options_with_a_text,
    variables_of,
)
from tests.support.product_files import PACKAGES, ROOT


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    """Return the path and the syntax tree of each module of the product."""
    modules: list[tuple[str, ast.Module]] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            modules.append((name, ast.parse(path.read_text())))
    return tuple(modules)


@cache
def entries() -> dict[str, frozenset[str]]:
    """Return the entries in the source by their group.

    `{"code": {"gates/__main__.py: file", ...}, "variables": {"HOME", ...}, "options": ...}`
    """
    code: set[str] = set()
    variables: set[str] = set()
    files: set[str] = set()
    for path, tree in sources():
        docstrings = ids_of_docstrings(tree)
        for node in ast.walk(tree):
            for kind in kinds_of(node):
                code.add(f"{path}: {kind}")
            variables |= variables_of(node)
            # A docstring may tell of a file that the product does not open.
            if id(node) not in docstrings:
                files |= file_names_of(node)
    events = {type_of(event_class) for event_class in run_events.event_classes()}
    return {
        "code": frozenset(code),
        "variables": frozenset(variables),
        "files": frozenset(files),
        "events": frozenset(events),
        "options": frozenset(options_with_a_text()),
    }


def ids_of_docstrings(tree: ast.Module) -> set[int]:
    """Return the ids of the nodes that are statements of their own, as docstrings are."""
    ids: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            ids.add(id(node.value))
    return ids
