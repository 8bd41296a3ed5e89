"""A trusted configuration is not trusted any more if it is copied or linked to another folder.

Trust in a file `controlplane.toml` holds for a path: the same words may do something else in
another folder, where its benchmark `evil` is another module.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.configuration import config_file
from controlplane.errors import UsageError
from tests.support.command import CommandResult, check_error_line, run_in_process


@pytest.fixture
def folder(tmp_path: Path, like_a_new_process: None) -> Path:
    """A folder whose configuration names the module `evil` as a benchmark.

    The module leaves the file `imported` if it is imported, and is no benchmark: a usage error.
    """
    (tmp_path / "controlplane.toml").write_text(
        '[run]\nlimit = 1\nbenchmark = "evil"\n'
    )
    (tmp_path / "evil.py").write_text(
        "from pathlib import Path\nPath('imported').touch()\n"
    )
    return tmp_path


# Trust in a configuration ends when a module changes that it would run.
#
# The user trusts `controlplane.toml` by the command `trust`, which stores hashes of the file and of
# the modules that it names, such as `mine.py`, and of those that they import.


@pytest.mark.parametrize(
    ("changed_file", "is_still_trusted"),
    [
        pytest.param("mine.py", False, id="the module that the file names"),
        pytest.param("imported.py", False, id="a module that it imports"),
        pytest.param("package/part.py", False, id="a module that this one imports"),
        pytest.param("unrelated.py", True, id="a module that nobody imports"),
    ],
)
def test_trust_ends_when_a_module_changes_that_would_run(
    changed_file: str, is_still_trusted: bool, tmp_path: Path
) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "mine.py").write_text("import imported\n")
    (tmp_path / "imported.py").write_text("from package import part\n")
    (tmp_path / "package/__init__.py").write_text("")
    (tmp_path / "package/part.py").write_text("x = 1\n")
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    path = tmp_path / "controlplane.toml"
    content = b'[run]\nbenchmark = "mine"\n'
    path.write_bytes(content)
    config_file.trust(path, content)
    assert config_file.is_trusted(path, content)

    (tmp_path / changed_file).write_text("x = 2\n")

    assert config_file.is_trusted(path, content) is is_still_trusted


# A configuration `controlplane.toml` that is not a regular file is refused at once.
#
# It may be a pipe, a folder, or a link to `/dev/zero`: to read it could never end.


def make_link_to_endless_file(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(make_link_to_endless_file, id="link to an endless file"),
        pytest.param(os.mkdir, id="folder"),
    ],
)
@pytest.mark.parametrize("command", ["runs", "trust", "run"])
def test_a_configuration_that_is_not_a_file_is_refused_at_once(
    make: Callable[[Path], None], command: str, tmp_path: Path
) -> None:
    make(tmp_path / "controlplane.toml")

    result = run_in_process(command, cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, "cannot read", "controlplane.toml")


# A file `controlplane.toml` is applied in full if the user trusts it, until the file changes.
#
# The user trusts the file by the command `trust`, or by naming it, as `--config controlplane.toml`.
# Of other files, only limits are applied, such as `limit = 2`. The file in `folder` also sets a
# benchmark:
#
#     [run]
#     limit = 1
#     benchmark = "evil"      a module, which makes the file `imported` when it is imported


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
    config_file.trust(path, CONFIGURATION)
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
    assert config_file.is_trusted(trusted_file, CONFIGURATION)
    (other_folder / "controlplane.toml").write_bytes(CONFIGURATION)

    run = run_in_process("run", "--json", cwd=other_folder)

    assert run.code == 0, run.err
    assert run.json["benchmark"] == "ecom"  # the default, not `evil`
    assert not (other_folder / "imported").exists()


def test_a_link_to_a_trusted_configuration_is_not_trusted(
    trusted_file: Path, other_folder: Path
) -> None:
    assert config_file.is_trusted(trusted_file, CONFIGURATION)
    (other_folder / "controlplane.toml").symlink_to(trusted_file)

    run = run_in_process("run", "--json", cwd=other_folder)

    assert run.code == 0, run.err
    assert run.json["benchmark"] == "ecom"
    assert not (other_folder / "imported").exists()
