"""Opening a question about a folder of files. It is refused if nothing in it can be read.

`ask "How many loans are open?" loans/` opens the files below `loans/`. The setting `only` is a list
of files that the question is about, and `earlier` an earlier conversation.
"""

import json
from pathlib import Path

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.files.files_benchmark import open_benchmark


@pytest.mark.parametrize(
    ("settings", "expected_error"),
    [
        pytest.param({}, "what is the question", id="no question"),
        pytest.param(
            {"question": "x", "only": '["gone"]'}, "No such file", id="missing file"
        ),
        pytest.param(
            {"question": "x", "only": "{"}, "JSON", id="invalid list of files"
        ),
        pytest.param(
            {"question": "x", "earlier": "{}"}, "JSON", id="invalid conversation"
        ),
        pytest.param(
            {"question": "x", "only": json.dumps(["logo.png"])},
            "no text file",
            id="only a picture",
        ),
    ],
)
def test_impossible_question_is_refused(
    tmp_path: Path, settings: dict[str, str], expected_error: str
) -> None:
    (tmp_path / "notes.md").write_text("Call Ines.\n")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\x00\x01")

    with pytest.raises(BenchmarkError, match=expected_error):
        open_benchmark(str(tmp_path), settings, BenchmarkContext())
