"""Trust in a configuration ends when a module changes that it would run.

The user trusts `controlplane.toml` by the command `trust`, which stores hashes of the file and of
the modules that it names, such as `mine.py`, and of those that they import.
"""

from pathlib import Path

import pytest

from controlplane.configuration import config_trust


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
    config_trust.trust(path, content)
    assert config_trust.is_trusted(path, content)

    (tmp_path / changed_file).write_text("x = 2\n")

    assert config_trust.is_trusted(path, content) is is_still_trusted
