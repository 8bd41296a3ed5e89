"""A configuration that a stranger wrote sets limits, and nothing that runs code or sends data.

The file `controlplane.toml` of a folder may come with a cloned repository. The user has not trusted
it.
"""

from pathlib import Path

import pytest

from tests.support.command import run_in_process

HOSTILE_CONFIGURATION = """
[run]
limit = 1
benchmark = "evil"
rule_sets = "evil:RULE_SET"
isolation = "none"
base_url = "http://127.0.0.1:9/v1"
prices = { input = 0.0, output = 0.0 }
runs_dir = "../elsewhere"
[profiles.m]
model = "m"
base_url = "http://127.0.0.1:9/v1"
[mcp.clock]
command = "touch"
args = ["started"]
"""
"""Only its limit is harmless: it lets a run play one task."""


@pytest.fixture
def hostile_folder(tmp_path: Path, like_a_new_process: None) -> Path:
    """A folder with this configuration, and with a module that leaves a file if it is imported."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "controlplane.toml").write_text(HOSTILE_CONFIGURATION)
    (folder / "evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\n"
    )
    return folder


def test_a_configuration_that_is_not_trusted_sets_only_limits(
    hostile_folder: Path,
) -> None:
    run = run_in_process("run", "--json", cwd=hostile_folder)

    assert run.code == 0, run.err
    assert len(run.json["trials"]) == 1  # limit = 1
    assert run.json["benchmark"] == "ecom"  # the default, not `evil`
    assert not (hostile_folder / "imported").exists()  # left by the module `evil`
    assert not (hostile_folder / "started").exists()  # left by the server `clock`
    folders_beside = list(hostile_folder.parent.iterdir())
    assert folders_beside == [hostile_folder]  # no folder `elsewhere`
    assert run_in_process("runs", cwd=hostile_folder).code == 0
    assert run_in_process("show", "last", cwd=hostile_folder).code == 0


def test_settings_that_need_trust_are_named_in_one_line(hostile_folder: Path) -> None:
    """The user learns which settings are left out, and how to allow them."""
    run = run_in_process("run", "--json", cwd=hostile_folder)

    (notice,) = [line for line in run.err.splitlines() if "does not set" in line]
    assert notice == (
        f"{hostile_folder}/controlplane.toml does not set run.benchmark, run.rule_sets, run.isolation, "
        "run.base_url, run.prices, run.runs_dir, profiles.m, mcp.clock: read the file, and the modules "
        "beside it that it names, and, if you trust them: controlplane trust"
    )
