"""Ordinary scripts run in the sandbox as in plain Python.

The sandbox compiles scripts in a restricted way and replaces parts of the standard library. A model
must not notice: `ordinary/*.txt` has hundreds of scripts as models write them, such as
`print(sorted({2, 1}))`, which are also run by plain CPython for comparison.
"""

from typing import NamedTuple

import pytest

from tests.sandbox.local_parent import new_sandbox
from tests.sandbox.script_corpus import ORDINARY_SCRIPT_FILES, corpus_scripts
from tests.support.command import run_python

# Outcomes of scripts in the sandbox and in plain Python, and whether they are the same.


class Outcome(NamedTuple):
    """What a script printed, and the error that ended it, such as `KeyError: 'b'`, or ""."""

    output: str
    error: str


def is_same_error(sandbox_error: str, plain_error: str) -> bool:
    """Compare the last lines of two tracebacks.

    The sandbox may add what to write instead: `KeyError: 'b'; config has the keys a` is the same
    as `KeyError: 'b'`. It describes an exit in words, `SystemExit: the script ended itself (code
    3)`, so that only the kind of the error is compared.
    """
    if plain_error.startswith("SystemExit"):
        return sandbox_error.startswith("SystemExit")
    if sandbox_error == plain_error:
        return True
    return sandbox_error.startswith(f"{plain_error}; ")


@pytest.fixture(scope="session")
def plain_python_outcomes() -> dict[str, Outcome]:
    """The outcome of every ordinary script in plain CPython, by the script's title."""
    result = run_python(
        "-m",
        "tests.sandbox.plain_python_reference",
        *ORDINARY_SCRIPT_FILES,
        PYTHONHASHSEED="0",
        TZ="UTC",
    )
    outcomes = {}
    for title, (output, error) in result.json.items():
        outcomes[title] = Outcome(output, error)
    return outcomes


def test_the_corpus_has_at_least_300_ordinary_scripts():
    """At least 100 of them, in a file of their own, are about functions."""
    other_files = [
        name for name in ORDINARY_SCRIPT_FILES if name != "ordinary/functions.txt"
    ]

    assert len(corpus_scripts(*other_files)) >= 200
    assert len(corpus_scripts("ordinary/functions.txt")) >= 100


@pytest.mark.parametrize("file_name", ORDINARY_SCRIPT_FILES)
def test_every_ordinary_script_gives_what_plain_python_gives(
    file_name, server, plain_python_outcomes
):
    """Compared are the printed text and the last line of the traceback, if there is one.

    `corpus_scripts` returns the scripts of a file, each with its title.
    """
    differences = {}
    # The few ordinary scripts that the sandbox refuses on purpose, and what it answers: they use
    # metaclasses and attributes by which a script could reach classes that it must not have.
    errors_of_refused_scripts = {
        "modules: abc with metaclass": "derive from a class, such as abc.ABC",
        "corners: abc details": "derive from a class, such as abc.ABC",
        "objects: mro shown": "special attribute '__subclasses__' is not available",
    }

    for title, source in corpus_scripts(file_name):
        with new_sandbox(server) as sandbox:
            result = sandbox.run(source)
        if title in errors_of_refused_scripts:
            assert errors_of_refused_scripts[title] in result.error
            continue

        plain = plain_python_outcomes[title]
        last_error_line = result.error.rpartition("\n")[2]
        is_same_output = result.output == plain.output
        if not is_same_output or not is_same_error(last_error_line, plain.error):
            differences[title] = (result, plain)

    assert differences == {}
