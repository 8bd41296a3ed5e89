"""The modules that run first tell that the Python is too old, so an old Python must understand them.

They may import only what it has: the product itself, and the standard library without `tomllib`,
which is new in Python 3.11. They may not use newer syntax.
"""

import ast
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT


def packages_imported_at_the_top(file: Path) -> set[str]:
    """Return the packages that a file imports when it is imported itself: `{"os", "json"}`.

    An import inside a function does not count. The file is parsed as Python 3.8 does; raises
    `SyntaxError` for what came later.
    """
    modules: list[str] = []
    tree = ast.parse(file.read_text(), feature_version=(3, 8))
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            modules.append(statement.module or "")
    return {module.partition(".")[0] for module in modules}


@pytest.mark.parametrize(
    "file_name", ["controlplane/__init__.py", "controlplane/__main__.py"]
)
def test_an_old_python_can_import_what_tells_that_it_is_old(file_name: str) -> None:
    modules_of_old_python = sys.stdlib_module_names - {"tomllib"}

    imported = packages_imported_at_the_top(ROOT / file_name)

    assert imported - {"controlplane"} <= modules_of_old_python
