"""Collects the values that each name of a script may hold, without running the script.

    rows = harness.read("/items.csv").content.splitlines()
    total = 0
    for row in rows:
        total += int(row)

Here `row` may hold `rows`, and `total` may hold `0` and `int(row)`. The order of the
statements is ignored: a name may hold every value that is ever bound to it.
"""

from __future__ import annotations

import ast

from controlplane.gates.support.scripts.script_bindings import collect_bindings
from controlplane.gates.support.scripts.script_changes import collect_changes
from controlplane.gates.support.scripts.script_counts import collect_counts
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_parameters import collect_parameters


def definitions_of(tree: ast.Module) -> Definitions:
    """Return what the names of a script may hold."""
    definitions = Definitions()
    collect_bindings(tree, definitions)
    collect_counts(tree, definitions)
    collect_parameters(tree, definitions)
    collect_changes(tree, definitions)  # the last one: it follows what names hold
    return definitions
