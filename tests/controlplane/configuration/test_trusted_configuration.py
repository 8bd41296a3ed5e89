"""A configuration is read in full if the user trusts it, until the file or a module of it changes.

The user trusts `controlplane.toml` by the command `trust`, which stores hashes of the file and of the
modules that it names, or by naming it, as `--config controlplane.toml`.
"""

import sys
from pathlib import Path

import pytest

from controlplane.configuration import config_trust
from controlplane.errors import UsageError
from tests.support.command import run_in_process


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


class TestWholeFile:
    """A trusted file sets all that it says, such as the benchmark `evil`."""

    def test_a_configuration_is_applied_after_the_command_trust(
        self, folder: Path
    ) -> None:
        trust = run_in_process("trust", cwd=folder)
        run = run_in_process("run", cwd=folder)

        assert "trusted as it is now" in trust.out
        assert run.code == UsageError.exit_code, run.err
        assert (folder / "imported").exists()

    def test_a_configuration_is_applied_if_it_is_named_by_an_option(
        self, folder: Path
    ) -> None:
        run = run_in_process("--config", "controlplane.toml", "run", cwd=folder)

        assert run.code == UsageError.exit_code, run.err
        assert (folder / "imported").exists()


class TestChangedFile:
    """A file that has changed since it was trusted sets only limits."""

    @pytest.mark.parametrize(
        "trusting_command",
        [
            pytest.param(("trust",), id="trusted by the command trust"),
            pytest.param(
                ("--config", "controlplane.toml", "run"), id="named by an option"
            ),
        ],
    )
    def test_a_configuration_that_has_changed_sets_only_limits(
        self, trusting_command: tuple[str, ...], folder: Path
    ) -> None:
        run_in_process(*trusting_command, cwd=folder)
        (folder / "imported").unlink(missing_ok=True)
        sys.modules.pop("evil", None)
        (folder / "controlplane.toml").write_text(
            '[run]\nlimit = 2\nbenchmark = "evil"\n'
        )

        run = run_in_process("run", "--json", cwd=folder)

        assert run.code == 0, run.err
        assert len(run.json["trials"]) == 2
        assert not (folder / "imported").exists()

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
        self, changed_file: str, is_still_trusted: bool, tmp_path: Path
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
        config_trust.trust(path, content)
        assert config_trust.is_trusted(path, content)

        (tmp_path / changed_file).write_text("x = 2\n")

        assert config_trust.is_trusted(path, content) is is_still_trusted
