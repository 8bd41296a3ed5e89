"""All *entries* in the source of the product: where it takes in bytes that others may write.

They are of five groups:

- code: a module that reads files, imports and so on: "gates/worker_judging.py: import"
- variables: an environment variable that the product reads: "HOME"
- files: a name of a file that it opens: "controlplane.toml"
- events: a type of lines in a journal, which others may have written: "run_closed"
- options: an option of a command that takes a text: "--model"
"""

import ast
from collections.abc import Iterator
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


def sources() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each module of the product."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


@cache
def entries() -> dict[str, frozenset[str]]:
    """Return the entries in the source by their group.

    `{"code": {"gates/__main__.py: file", ...}, "variables": {"HOME", ...}, "options": ...}`
    """
    code: set[str] = set()
    variables: set[str] = set()
    files: set[str] = set()
    for path, source in sources():
        nodes = list(ast.walk(ast.parse(source)))
        # A text that is a statement of its own is a docstring.
        docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            for kind in kinds_of(node):
                code.add(f"{path}: {kind}")
            variables |= variables_of(node)
            # A docstring may tell of a file that the product does not open.
            if node not in docstrings:
                files |= file_names_of(node)
    events = {type_of(event_class) for event_class in run_events.event_classes()}
    return {
        "code": frozenset(code),
        "variables": frozenset(variables),
        "files": frozenset(files),
        "events": frozenset(events),
        "options": frozenset(options_with_a_text()),
    }
