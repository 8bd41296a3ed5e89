"""`show` and reports tell of an answer that was accepted over the objection of a check.

A check sends a wrong answer back to the model. A model that insists on its answer overrides some checks.
Here it gives the answer "OUTCOME_OK: 17" three times: the rule "wording" of gate 6 sends it back twice,
and the third time it is accepted. The run has the name "said".
"""

from pathlib import Path

from tests.controlplane.report.packed_data import packed_data
from tests.support.command import run_in_process


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
