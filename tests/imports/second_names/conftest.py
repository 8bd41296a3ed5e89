"""A recorder of what each process imports."""

from pathlib import Path

import pytest

from tests.imports.second_names.recorded_imports import IMPORT_RECORDER


@pytest.fixture
def imports(tmp_path: Path) -> Path:
    """An empty folder, in which the recorder makes a file for each process.

    The recorder itself is `sitecustomize.py` in the folder `site` beside it.
    """
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(IMPORT_RECORDER)
    (tmp_path / "imports").mkdir()
    return tmp_path / "imports"
