"""A benchmark in the working folder may import its neighbours, and nothing else of the folder is.

`run --benchmark mine` imports the user's `mine.py`, which imports `words.py`. Beside them are files
such as `agent.py`, which have the names of the product's own modules, and raise an error if they
are imported.
"""

import shutil
from pathlib import Path

import pytest

from tests.controlplane.configuration.import_path.namesakes import (
    NAMESAKES_OF_OUR_MODULES,
    write_namesakes,
)
from tests.support.command import ROOT, run_python

pytestmark = pytest.mark.second_tier


def test_a_benchmark_in_the_working_folder_may_import_its_neighbours(
    tmp_path: Path,
) -> None:
    write_namesakes(tmp_path, *NAMESAKES_OF_OUR_MODULES)
    (tmp_path / "mine.py").write_text("from words import *\n")
    shutil.copy(ROOT / "docs/examples/wordbook.py", tmp_path / "words.py")
    replies = ROOT / "docs/examples/wordbook.toml"
    command = ("run", "--benchmark", "mine", "--model", f"scripted:{replies}", "--json")

    run = run_python("-m", "controlplane", *command, cwd=tmp_path)

    assert run.code == 0, run.err
    assert run.json["score"] == 1.0
