"""The outcomes of ordinary scripts in plain Python."""

import pytest

from tests.sandbox.ordinary.outcomes import Outcome
from tests.sandbox.script_corpus import ORDINARY_SCRIPT_FILES
from tests.support.command import run_python


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
