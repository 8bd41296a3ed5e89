"""A configuration is read in full if the user trusts it, until the file changes.

The user trusts `controlplane.toml` by the command `trust`, or by naming it, as `--config
controlplane.toml`. A file that is not trusted sets only limits, such as `limit = 2`, and not the
benchmark: its module `evil` would be imported, and leaves the file `imported` if it is.
"""

import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import run_in_process


def test_a_configuration_is_applied_after_the_command_trust(folder: Path) -> None:
    trust = run_in_process("trust", cwd=folder)
    run = run_in_process("run", cwd=folder)

    assert "trusted as it is now" in trust.out
    assert run.code == UsageError.exit_code, run.err
    assert (folder / "imported").exists()


def test_a_configuration_is_applied_if_it_is_named_by_an_option(folder: Path) -> None:
    run = run_in_process("--config", "controlplane.toml", "run", cwd=folder)

    assert run.code == UsageError.exit_code, run.err
    assert (folder / "imported").exists()


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
    run_in_process(*trusting_command, cwd=folder)
    (folder / "imported").unlink(missing_ok=True)
    sys.modules.pop("evil", None)
    (folder / "controlplane.toml").write_text('[run]\nlimit = 2\nbenchmark = "evil"\n')

    run = run_in_process("run", "--json", cwd=folder)

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == 2
    assert not (folder / "imported").exists()
