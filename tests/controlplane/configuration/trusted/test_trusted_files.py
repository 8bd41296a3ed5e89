"""A file `controlplane.toml` is applied in full if the user trusts it, until the file changes.

The user trusts the file by the command `trust`, or by naming it, as `--config controlplane.toml`.
Of other files, only limits are applied, such as `limit = 2`. The file in `folder` also sets a
benchmark:

    [run]
    limit = 1
    benchmark = "evil"      a module, which makes the file `imported` when it is imported
"""

import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandResult, run_in_process


def check_benchmark_was_imported(run: CommandResult, folder: Path) -> None:
    """Assert that the module `evil` was imported, and refused since it defines no benchmark."""
    assert (folder / "imported").exists()
    assert run.code == UsageError.exit_code, run.err


def test_a_configuration_is_applied_after_the_command_trust(folder: Path) -> None:
    trust = run_in_process("trust", cwd=folder)
    run = run_in_process("run", cwd=folder)

    assert "trusted as it is now" in trust.out
    check_benchmark_was_imported(run, folder)


def test_a_configuration_is_applied_if_it_is_named_by_an_option(folder: Path) -> None:
    run = run_in_process("--config", "controlplane.toml", "run", cwd=folder)

    check_benchmark_was_imported(run, folder)


@pytest.mark.parametrize(
    "trusting_command",
    [
        pytest.param(("trust",), id="trusted by the command trust"),
        pytest.param(("--config", "controlplane.toml", "run"), id="named by an option"),
    ],
)
def test_a_configuration_that_has_changed_sets_only_limits(
    trusting_command: tuple[str, ...], folder: Path
) -> None:
    """The run has 2 trials of the default benchmark: `limit` is applied, and `benchmark` is not."""
    run_in_process(*trusting_command, cwd=folder)
    forget_import(folder)
    (folder / "controlplane.toml").write_text('[run]\nlimit = 2\nbenchmark = "evil"\n')

    run = run_in_process("run", "--json", cwd=folder)

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == 2
    assert not (folder / "imported").exists()


def forget_import(folder: Path) -> None:
    """Let the module `evil` be imported again, and make the file `imported` again."""
    sys.modules.pop("evil", None)
    (folder / "imported").unlink(missing_ok=True)
