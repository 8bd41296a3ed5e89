"""A benchmark in the working folder may import its neighbours, and nothing else of the folder is.

`run --benchmark mine` imports the user's `mine.py`, which imports `words.py`. Beside them are files
such as `agent.py`, which have the names of the product's own modules, and raise an error if they
are imported.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.support.command import run_python
from tests.support.product_files import ROOT

# Files with the names of modules that the product imports, which raise an error if they are imported.

NAMESAKES_OF_OUR_MODULES = (
    "agent.py",
    "gates.py",
    "sandbox.py",
    "benchmarks/__init__.py",
    "controlplane/notes.py",
)
"""Files that are called as the product's own modules."""


def write_namesakes(folder: Path, *file_names: str) -> None:
    """Write files that raise an error when they are imported.

    `write_namesakes(folder, "logging.py")` writes `<folder>/logging.py`.
    """
    for file_name in file_names:
        file = folder / file_name
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise RuntimeError('a namesake was imported')\n")


# Neither a command nor the completion in a shell looks for modules in the working folder.
#
# Python puts the folder of a program, or "" for it, at the beginning of `sys.path`. The product takes
# it off, so that a file of the user such as `logging.py` is not imported.

import_path_pytestmark = pytest.mark.second_tier

LIST_RUNS_AND_PRINT_PATH = """
import sys
from controlplane.__main__ import main
sys.argv[1:] = ["runs"]
try:
    main()
finally:
    print(sys.path)
"""
"""Runs `controlplane runs`, and prints the import path afterwards."""

COMPLETE_IN_BASH = """
import sys
from controlplane.__main__ import main
sys.argv[0] = "controlplane"
main()
"""
"""What bash runs when the user presses Tab. Variables say what is typed already."""


def test_a_command_takes_the_working_folder_off_the_import_path(tmp_path: Path) -> None:
    program = run_python("-c", LIST_RUNS_AND_PRINT_PATH, cwd=tmp_path)

    assert str(tmp_path) not in program.out
    assert "''" not in program.out


def test_completion_in_a_shell_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    """The user has typed `controlplane run --benchmark mine ` and presses Tab.

    The module `mine` would write a file if it were imported.
    """
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")

    completion = run_python(
        "-c",
        COMPLETE_IN_BASH,
        cwd=tmp_path,
        _CONTROLPLANE_COMPLETE="bash_complete",
        COMP_WORDS="controlplane run --benchmark mine ",
        COMP_CWORD="4",  # the number of the word to complete, from 0
    )

    assert completion.err == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.py"]


# A command imports no file of the working folder in place of a module with the same name.
#
# The working folder may have a file such as `logging.py`, a *namesake* of a module. A namesake that
# `write_namesakes` writes raises an error if it is imported. Started by `python -m`, Python looks
# into the working folder first, until the product forbids it. With `-P`, it never does.

namesakes_pytestmark = pytest.mark.second_tier


def test_a_run_and_its_replay_work_beside_namesakes(tmp_path: Path) -> None:
    """Python itself imports such modules before the product runs, so it is started with `-P`. The
    product must not let Python look into the folder later on."""
    namesakes_of_other_modules = (
        "click.py",
        "logging.py",
        "typing.py",
        "re.py",
        "signal.py",
        "traceback.py",
    )
    write_namesakes(tmp_path, *NAMESAKES_OF_OUR_MODULES, *namesakes_of_other_modules)
    command = ("-P", "-m", "controlplane")

    run = run_python(*command, "run", "--limit", "1", "--json", cwd=tmp_path)
    replay = run_python(*command, "replay", "last", "--verify", cwd=tmp_path)

    assert run.code == 0, run.err
    assert run.json["trials_scored"] == 1
    assert replay.code == 0


def test_optional_modules_are_not_taken_from_the_working_folder(tmp_path: Path) -> None:
    """Libraries import these modules if they are there. The product forbids it before they
    are imported, so `-P` is not needed.

    The run asks a model over HTTP, so that all parts of the client are imported. Nothing listens
    at its address, and with a patience of 0 s it does not try again.
    """
    namesakes_of_optional_modules = (
        "brotli.py",
        "h2.py",
        "trio.py",
        "pandas.py",
        "zstandard.py",
        "sniffio.py",
        "uvloop.py",
    )
    write_namesakes(tmp_path, *namesakes_of_optional_modules)
    model = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    command = ("run", "--limit", "1", *model, "--model-patience", "0")

    run = run_python("-m", "controlplane", *command, cwd=tmp_path)

    assert run.code == Unreachable.exit_code, run.err
    assert "namesake" not in run.err


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


def test_a_benchmark_may_import_a_neighbour_inside_a_function(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def open_benchmark(*arguments):\n"
        "    import words\n"
        "    return words.open_benchmark(*arguments)\n"
    )
    shutil.copy(ROOT / "docs/examples/wordbook.py", tmp_path / "words.py")

    shown = run_python("-m", "controlplane", "benchmarks", "show", "mine", cwd=tmp_path)

    assert shown.code == 0, shown.err
    assert "heron" in shown.out


LAZY_PACKAGE = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    import my_words
    return getattr(my_words, name)
"""
"""A package that imports what it offers when it is first used."""


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        pytest.param("import my_words", "pack/mine.py", id="in a function"),
        pytest.param("from .my_words import WORDS", "pack/mine.py", id="relative"),
        pytest.param("import lazy; lazy.WORDS", "lazy/__init__.py", id="lazy package"),
    ],
)
def test_a_module_that_a_benchmark_lacks_is_named_without_advice_to_install_the_product(
    statement: str, place: str, tmp_path: Path
) -> None:
    wordbook = (ROOT / "docs/examples/wordbook.py").read_text()
    start = "    def describe(self, preview_seed=None):\n"
    assert start in wordbook
    for package in ("pack", "lazy"):
        (tmp_path / package).mkdir()
    (tmp_path / "pack/__init__.py").touch()
    lacking = wordbook.replace(start, f"{start}        {statement}\n")
    (tmp_path / "pack/mine.py").write_text(lacking)
    (tmp_path / "lazy/__init__.py").write_text(LAZY_PACKAGE)

    shown = run_python(
        "-m", "controlplane", "benchmarks", "show", "pack.mine", cwd=tmp_path
    )

    assert shown.code == 1
    assert f"my_words' ({place}, line " in shown.err
    assert "install" not in shown.err
