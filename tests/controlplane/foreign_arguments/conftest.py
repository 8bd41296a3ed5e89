"""A folder with the foreign text throughout, which would steer a terminal."""

from pathlib import Path

import pytest

from tests.controlplane.foreign_arguments.foreign_lines import FOREIGN_TEXT
from tests.controlplane.foreign_arguments.foreign_runs import (
    FOREIGN_CONFIGURATION,
    record_foreign_run,
)


@pytest.fixture(scope="session")
def foreign_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the foreign text throughout: in a run, in a configuration `hostile.toml`, and as
    name and content of the only file in `files`."""
    folder = tmp_path_factory.mktemp("foreign")
    record_foreign_run(folder)
    (folder / "hostile.toml").write_text(FOREIGN_CONFIGURATION)
    (folder / "files").mkdir()
    file_name = f"{FOREIGN_TEXT.replace('/', '_')}.md"
    (folder / "files" / file_name).write_text(FOREIGN_TEXT)
    return folder
