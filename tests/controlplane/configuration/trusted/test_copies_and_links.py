"""A trusted configuration is not trusted any more if it is copied or linked to another folder.

Trust in a file `controlplane.toml` holds for a path: the same words may do something else in
another folder, where its benchmark `evil` is another module.
"""

from pathlib import Path

import pytest

from controlplane.configuration import config_trust
from tests.support.command import run_in_process

CONFIGURATION = b'[run]\nlimit = 1\nbenchmark = "evil"\n'
EVIL_MODULE = "from pathlib import Path\nPath('imported').touch()\n"
"""Leaves the file `imported` in the working folder if it is imported."""


@pytest.fixture
def trusted_file(tmp_path: Path, like_a_new_process: None) -> Path:
    """A configuration that names the module `evil`, which is beside it."""
    folder = tmp_path / "trusted"
    folder.mkdir()
    path = folder / "controlplane.toml"
    path.write_bytes(CONFIGURATION)
    (folder / "evil.py").write_text(EVIL_MODULE)
    config_trust.trust(path, CONFIGURATION)
    return path


@pytest.fixture
def other_folder(tmp_path: Path) -> Path:
    """A folder with the same module, and without a configuration."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "evil.py").write_text(EVIL_MODULE)
    return folder


def test_a_copy_of_a_trusted_configuration_is_not_trusted(
    trusted_file: Path, other_folder: Path
) -> None:
    assert config_trust.is_trusted(trusted_file, CONFIGURATION)
    (other_folder / "controlplane.toml").write_bytes(CONFIGURATION)

    run = run_in_process("run", "--json", cwd=other_folder)

    assert run.code == 0, run.err
    assert run.json["benchmark"] == "ecom"  # the default, not `evil`
    assert not (other_folder / "imported").exists()


def test_a_link_to_a_trusted_configuration_is_not_trusted(
    trusted_file: Path, other_folder: Path
) -> None:
    assert config_trust.is_trusted(trusted_file, CONFIGURATION)
    (other_folder / "controlplane.toml").symlink_to(trusted_file)

    run = run_in_process("run", "--json", cwd=other_folder)

    assert run.code == 0, run.err
    assert run.json["benchmark"] == "ecom"
    assert not (other_folder / "imported").exists()
