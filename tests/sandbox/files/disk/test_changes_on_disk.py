"""Changes that a script makes in a folder reach the disk only if the user allows it.

`python -m controlplane.sandbox run --files DIR` shows the folder DIR to a script as `/`. Changes
stay in memory unless `--write` is given.
"""

import pytest

from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")

CHANGE_FILES = """
harness.write("/new/x.txt", "new")
harness.delete("/docs/a.txt")
print(harness.find("*.txt").paths)
"""
"""A script that sees its own changes, whether they reach the disk or not."""


def test_without_write_the_changes_of_a_script_stay_in_memory(folder):
    result = run_script_over_folder(folder, CHANGE_FILES)

    assert result["output"] == "['/new/x.txt']\n"
    assert (folder / "docs/a.txt").exists()
    assert not (folder / "new").exists()


def test_with_write_the_changes_of_a_script_reach_the_disk(folder):
    result = run_script_over_folder(folder, CHANGE_FILES, "--write")

    assert result["output"] == "['/new/x.txt']\n"
    assert not (folder / "docs/a.txt").exists()
    assert (folder / "new/x.txt").read_text() == "new"
