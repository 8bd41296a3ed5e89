"""Scripts may write only to the folder that the user names, here `docs`.

Scripts of the model read and write files by calls. Beside `docs`, the folder of the question has the
file `notes.md`, which must stay as it is.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of, write_files


def environment_with_writable_folder(folder: Path) -> FilesEnvironment:
    """Return an environment whose scripts may write below `docs`."""
    write_files(
        folder, {"notes.md": "Call Ines.\n", "docs/desk.md": "Opens at nine.\n"}
    )
    return environment_of(folder, writable="docs")


def test_summary_of_the_call_names_the_writable_folder(tmp_path: Path) -> None:
    """The model reads the summaries of the calls in its prompt."""
    environment = environment_with_writable_folder(tmp_path)

    summaries: dict[str, str] = {}
    for operation in environment.tool_schema.operations:
        summaries[operation.name] = operation.summary

    assert summaries["write"].endswith("; below /docs alone")


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/notes.md", id="above the folder"),
        pytest.param("/docs/../notes.md", id="out of the folder by dots"),
        pytest.param("/docsx/a.md", id="folder whose name begins alike"),
        pytest.param("/docs/.git/hooks/post-commit", id="hook that git would run"),
    ],
)
def test_writing_outside_of_the_writable_folder_is_refused(
    tmp_path: Path, path: str
) -> None:
    environment = environment_with_writable_folder(tmp_path)

    with pytest.raises(CallError, match="may not be written"):
        environment.call("write", {"path": path, "content": "x", "if_match_sha256": ""})
