"""A stranger's journal may name a module of Python, which is imported only with `--trust`.

A journal says in which modules the benchmark, the agent and the rules of its run are. To import a
module is to run its code. Here it is `evil`, in the working folder, which leaves the file `imported`
if it is imported.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    ("command", "expected_code", "message"),
    [
        pytest.param(("show",), 0, "", id="show"),
        pytest.param(
            ("replay", "--verify"),
            0,
            "rules of evil:RULE_SET, which only --trust imports",
            id="replay",
        ),
        pytest.param(("judge",), UsageError.exit_code, "", id="judge"),
        pytest.param(("export", "--to", "otel.jsonl"), 0, "", id="export"),
    ],
)
def test_no_module_that_a_strangers_journal_names_is_imported(
    command: tuple[str, ...],
    expected_code: int,
    message: str,
    journal_naming_evil: Path,
    tmp_path: Path,
) -> None:
    """The module `evil` leaves the file `imported` if it is imported. `show`, `replay` and
    `export` work without it; `judge` judges answers by the rules in it, and is refused."""
    verb, *options = command

    result = run_in_process(
        verb, journal_naming_evil, *options, cwd=tmp_path, PYTHONPATH=str(tmp_path)
    )

    assert result.code == expected_code, result.err
    assert message in result.out
    assert not (tmp_path / "imported").exists()


@pytest.mark.parametrize("command", [("replay", "--verify"), ("judge",)], ids=" ".join)
def test_a_module_that_a_trusted_journal_names_is_imported(
    command: tuple[str, ...], journal_naming_evil: Path, tmp_path: Path
) -> None:
    """The option `--trust` allows it. The module `evil` leaves the file `imported`."""
    verb, *options = command

    run_in_process(
        verb,
        journal_naming_evil,
        *options,
        "--trust",
        cwd=tmp_path,
        PYTHONPATH=str(tmp_path),
    )

    assert (tmp_path / "imported").exists()
