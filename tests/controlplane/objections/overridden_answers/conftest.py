"""The run "said", whose model gives the same answer three times, until it is accepted."""

from pathlib import Path

import pytest

from tests.controlplane.objections.scripted_model import LOOK_UP, run_ada

ANSWER_WITH_OUTCOME_IN_TEXT = """
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK: 17", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
"""
"""The number is right, but the answer has the name of its outcome in it, to which a rule objects."""


@pytest.fixture(scope="session")
def overridden_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run "said". Its model gives the same answer three times: the rule sends the
    answer back twice, and the third time it is accepted over the objection."""
    folder = tmp_path_factory.mktemp("overridden")
    run_ada(
        folder,
        LOOK_UP,
        ANSWER_WITH_OUTCOME_IN_TEXT,
        ANSWER_WITH_OUTCOME_IN_TEXT,
        ANSWER_WITH_OUTCOME_IN_TEXT,
        options=("--name", "said"),
    )
    return folder
