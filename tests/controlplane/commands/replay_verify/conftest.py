"""A journal of two submissions, which the tests change as a forger would."""

from pathlib import Path

import pytest

from tests.support.command import run_in_process

TWO_SUBMISSIONS = """
[[reply]]
state = "submit with a check that raises a KeyError"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: [sp["nothing"] for _ in "a"])
'''
[[reply]]
state = "print the scratchpad, and submit with a check that passes"
code = '''
print(sp := dict(scratchpad))
harness.answer(scratchpad, lambda sp: sp["answer"] == "7")
'''
"""
"""The model's scripts in a trial of two steps, each of which submits the answer "7":

step 1   the error "KeyError: 'nothing'" of the script's own check; a gate rejects the answer
step 2   the output "{'answer': '7', ...}"; the answer is accepted, and sent

`harness.answer` takes the answer, and a function (`verify`) with which the model checks it. That of
step 1 fails in a comprehension, since versions of Python differ in how they word such an error.
"""


@pytest.fixture(scope="session")
def journal_of_two_submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial, in which the model replies with `TWO_SUBMISSIONS`."""
    folder = tmp_path_factory.mktemp("two-submissions")
    (folder / "script.toml").write_text(TWO_SUBMISSIONS, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--model=scripted:script.toml",
        cwd=folder,
    )
    assert run.code == 0, run.err
    (journal,) = (folder / "runs").glob("*.jsonl")
    return journal
