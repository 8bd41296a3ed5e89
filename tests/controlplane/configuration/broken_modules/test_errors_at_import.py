"""An error of a module that the user names is reported in one line, which names its place.

`run --benchmark leaving` imports the user's `leaving.py`, and `--agent` and `--rule-sets` import
modules, too. If one raises, the command ends with "... KeyError: 'x' (leaving.py, line 1)".
"""

import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--benchmark", "leaving"),
        ("--agent", "leaving"),
        ("--rule-sets", "leaving:RULE_SET"),
    ],
)
@pytest.mark.parametrize(
    ("source", "error"),
    [
        pytest.param("raise SystemExit(0)\n", "SystemExit: 0", id="exits"),
        pytest.param("{}['x']\n", "KeyError: 'x'", id="raises"),
    ],
)
def test_an_error_at_the_import_of_a_module_names_its_line(
    option: str, name: str, source: str, error: str, tmp_path: Path
) -> None:
    """Even if the module exits, the command must not end without a message."""
    sys.modules.pop("leaving", None)  # the module of another case
    (tmp_path / "leaving.py").write_text(source, encoding="utf-8")

    result = run_in_process("run", option, name, "--limit", "1", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, f"{error} (leaving.py, line 1)")
