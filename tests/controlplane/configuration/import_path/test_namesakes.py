"""A command imports no file of the working folder in place of a module with the same name.

The working folder may have a file such as `logging.py`, a *namesake* of a module. A namesake that
`write_namesakes` writes raises an error if it is imported. Started by `python -m`, Python looks
into the working folder first, until the product forbids it. With `-P`, it never does.
"""

from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.controlplane.configuration.import_path.namesakes import (
    NAMESAKES_OF_OUR_MODULES,
    write_namesakes,
)
from tests.support.command import run_python

pytestmark = pytest.mark.second_tier


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
