"""A resumed run counts the objections of checks to answers from before its interruption.

The model of the run "said" gives the same answer three times: a rule sends it back twice, and the third
time it is accepted over the objection. The journal, the record of the run, is cut off in between.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.journal.journal_reader import open_journal
from tests.controlplane.objections.scripted_model import LOOK_UP, run_ada
from tests.controlplane.report.packed_data import packed_data
from tests.support.command import run_in_process
from tests.support.journals import first_line_with

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


# `show` and reports tell of an answer that was accepted over the objection of a check.
#
# A check sends a wrong answer back to the model. A model that insists on its answer overrides some checks.
# Here it gives the answer "OUTCOME_OK: 17" three times: the rule "wording" of gate 6 sends it back twice,
# and the third time it is accepted. The run has the name "said".


def test_show_counts_rejections_and_overrides_by_rule(overridden_run: Path) -> None:
    """The answer was sent back twice by the rule "wording", and accepted over its objection."""
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json

    assert shown["rejections"] == {"6/wording": 2}
    assert shown["overridden"] == {"6/wording": 1}
    (trial,) = shown["trials"]
    assert trial["overridden"] == {"6/wording": 1}


def test_a_report_names_the_rules_that_were_overridden(overridden_run: Path) -> None:
    """They are named in the data of the trial, which the page unpacks: in the line about its
    end, and in the pages of its steps. The page of the run counts them."""
    report = run_in_process("report", "said", "-o", "r.html", cwd=overridden_run)

    assert report.code == 0
    page = (overridden_run / "r.html").read_text(encoding="utf-8")
    trial = packed_data(page)["data-trial-1-1"]
    pages_of_steps = str(trial["pages"])
    assert "accepted over objections: gate 6 (wording)" in str(trial)
    assert "gate 6: wording" in pages_of_steps
    # Two answers were sent back, and the model corrected none of them.
    assert "0 of 2" in page


def test_a_resumed_run_counts_objections_from_before_the_interruption(
    overridden_run: Path, tmp_path: Path, heavy: bool
) -> None:
    """The journal is cut off between the run's start and its accepted answer, as if the run
    were killed there, and resumed: behind every twelfth line, and in the heavy form behind
    every line."""
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json
    complete_journal = overridden_run / shown["journal"]
    shutil.copy(overridden_run / "replies.toml", tmp_path)  # the replies of the model
    lines = complete_journal.read_bytes().splitlines(keepends=True)
    start = first_line_with(b'"run_started"', lines)
    answer = first_line_with(b'"answer_sent"', lines)
    lines_between_cuts = 1 if heavy else 12

    for kept_lines in range(start + 1, answer, lines_between_cuts):
        journal = tmp_path / f"cut-{kept_lines}.jsonl"
        journal.write_bytes(b"".join(lines[:kept_lines]))

        resumed = run_in_process("resume", journal, cwd=tmp_path)
        assert resumed.code == 0, kept_lines
        summary = open_journal(journal).summary
        assert summary.rejections == {"6/wording": 2}, kept_lines
        assert summary.overridden == {"6/wording": 1}, kept_lines
        verified = run_in_process("replay", journal, "--verify", cwd=tmp_path)
        assert verified.code == 0, kept_lines
