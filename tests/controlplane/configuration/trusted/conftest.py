"""A folder whose configuration names a module that leaves a trace if it is imported."""

from pathlib import Path

import pytest


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
