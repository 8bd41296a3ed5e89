"""Imports are listed names of listed modules; a failure that the script awaits comes when the script runs."""

import pytest

from sandbox.language.compiler import compile_script
from sandbox.language.language_policy import Refused


def importable(module: str, name: str | None) -> str:
    if module != "math":
        return f"{module} is not available"
    return "" if name in (None, "pi") else f"math has no {name}"


@pytest.mark.parametrize("source", ["import math", "import math as m", "from math import pi as p", "import math, math"])
def test_listed_names_are_imported(source: str) -> None:
    compile_script(source, importable)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import os", "os is not available"),
        ("import math, os", "os is not available"),
        ("from math import tau", "math has no tau"),
        ("from math import *", "'*' cannot be imported; name what is needed of math"),
        ("from . import x", "relative imports are not available"),
        ("from .math import pi", "relative imports are not available"),
        ("import math as __builtins__", "__builtins__"),
    ],
)
def test_other_imports_are_refused_with_the_reason(source: str, says: str) -> None:
    with pytest.raises(Refused) as raised:
        compile_script(source, importable)
    assert says in " ".join(each.message for each in raised.value.faults)


@pytest.mark.parametrize("awaited", ["ImportError", "ModuleNotFoundError", "(ValueError, ImportError)"])
def test_an_import_whose_failure_is_awaited_fails_when_the_script_runs(awaited: str) -> None:
    code = compile_script(f"try:\n    import os\nexcept {awaited}:\n    os = None", importable)
    assert "ModuleNotFoundError" in code.co_names


@pytest.mark.parametrize(
    "source",
    ["try:\n    import os\nexcept ValueError:\n    pass", "try:\n    pass\nexcept ImportError:\n    pass\nimport os"],
)
def test_an_import_whose_failure_nobody_awaits_is_refused(source: str) -> None:
    with pytest.raises(Refused):
        compile_script(source, importable)


def test_an_import_for_type_checkers_alone_is_let_through() -> None:
    compile_script("TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import os", importable)
