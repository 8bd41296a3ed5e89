"""Each candidate of a loop of `improve` plays with its own copies of the edited files.

A candidate is a set of new texts for the files that `--edit` lists. It gets a folder named by a hash of
the texts: `loop/candidates/3fa9/hints.txt`. Its runs use these files in place of the user's.
"""

from pathlib import Path

import pytest

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.improving.candidates import edited_files, id_of
from controlplane.improving.loop import candidate_folder, candidate_settings


def test_a_candidate_plays_with_its_own_copy_of_a_file(tmp_path: Path) -> None:
    """The copy is in a folder named by a hash of the texts, and cannot be changed later. The
    settings name it in place of the original, which stays as it is."""
    original = tmp_path / "replies.toml"
    original.write_text("old", encoding="utf-8")
    settings = RunSettings(model=f"scripted:{original}")
    files = edited_files([str(original)], settings)
    candidate_texts = {"replies.toml": "new"}

    own_settings = candidate_settings(
        settings,
        changes={},
        texts=candidate_texts,
        origins=files.origins,
        folder=candidate_folder(tmp_path / "loop", candidate_texts),
    )

    copy = tmp_path / "loop/candidates" / id_of(candidate_texts) / "replies.toml"
    assert own_settings.model == f"scripted:{copy}"
    assert copy.read_text(encoding="utf-8") == "new"
    assert copy.stat().st_mode & 0o777 == 0o444
    assert original.read_text(encoding="utf-8") == "old"


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    """A candidate has its files in one folder, in which a name is unique."""
    edits: list[str] = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        hints_file = tmp_path / name / "hints.txt"
        hints_file.write_text(name, encoding="utf-8")
        edits.append(str(hints_file))

    with pytest.raises(UsageError, match="two files of one name"):
        edited_files(edits, RunSettings())
