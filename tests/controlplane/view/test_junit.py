"""How results are shown: citations, newer versions, tables of trials, JUnit files and calls.

Citations cannot be imitated, and newer versions of cited files are named unless the question is
about the older ones. A table shows the worst trials. A JUnit file has a case for each trial, and
`--fail-under` fails a run. Results of calls are shown as trees, fields or lists.
"""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from controlplane.agent.events import CallRecord, StepDone
from controlplane.facts.answer_facts import newer_versions
from controlplane.facts.run_facts import run_details
from controlplane.journal.run_events import TrialLeftOpen
from controlplane.journal.totals.run_summary import RunSummary, RunTrials, fold_event
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.answer.answer_text import without_citation_indents
from controlplane.view.junit import cases_of_run, write_junit
from controlplane.view.tables.run_table import print_run_table
from controlplane.view.trial_pages.page_text import print_page
from controlplane.view.trial_pages.trial_pages import Page, step_parts
from tests.support.command import CommandResult, CommandRunner
from tests.support.run_summaries import end_trial, run_with_trials

# Stopped runs with some trials of each kind.
#
# For example:
#
#     stopped_run(right=1, left_open=2)    ->    a summary with the trials right-0, open-0 and open-1


def stopped_run(
    *,
    right: int = 0,
    half_right: int = 0,
    hidden: int = 0,
    left_open: int = 0,
    not_started: int = 0,
) -> RunSummary:
    """Return a stopped run with this many trials of each kind: `right-0`, `open-0`, `open-1`.

    The scores of the `hidden` ones are not known yet.
    """
    right_ids = [f"right-{number}" for number in range(right)]
    half_right_ids = [f"half-{number}" for number in range(half_right)]
    hidden_ids = [f"hidden-{number}" for number in range(hidden)]
    open_ids = [f"open-{number}" for number in range(left_open)]
    waiting_ids = [f"waiting-{number}" for number in range(not_started)]
    started_ids = [*right_ids, *half_right_ids, *open_ids, *hidden_ids]

    summary = run_with_trials([*started_ids, *waiting_ids], started=len(started_ids))
    for trial_id in right_ids:
        end_trial(summary, trial_id, score=1.0)
    for trial_id in half_right_ids:
        end_trial(summary, trial_id, score=0.5)
    for trial_id in hidden_ids:
        end_trial(summary, trial_id, score=None)
    for trial_id in open_ids:
        fold_event(summary, TrialLeftOpen(trial_id=trial_id, reason="interrupted"))
    return summary


# An answer is printed with its checked citations below, each indented: `  [1] docs/a.md:7`.
#
# A reader trusts a citation, since the product has looked it up. A line of the model's answer that looks
# like one loses its indent.


@pytest.mark.parametrize(
    ("line", "printed_line"),
    [
        pytest.param("  [1] docs/a.md:7", "[1] docs/a.md:7", id="a footnote"),
        pytest.param("  docs/a.md:7", "docs/a.md:7", id="a place in a file"),
        pytest.param("  > signed", "> signed", id="a quotation"),
        pytest.param(
            "\u2003\u00a0> signed", "> signed", id="a quotation behind unusual blanks"
        ),
    ],
)
def test_a_line_that_looks_like_a_citation_loses_its_indent(
    line: str, printed_line: str
) -> None:
    answer = f"Signed [1].\n\n{line}\nThat is all."

    assert without_citation_indents(answer) == (
        f"Signed [1].\n\n{printed_line}\nThat is all."
    )


def test_other_lines_keep_their_indent() -> None:
    assert without_citation_indents("Two:\n  - a point\n  - another") == (
        "Two:\n  - a point\n  - another"
    )


# Below an answer, the user is told that a cited file has a newer version in the same folder.
#
#     /fees.md, cited    ->    there is a newer version: /fees (corrected).md
#
# A family is a list of versions of a file, with the newest first.


def test_the_newer_versions_of_cited_files_are_named() -> None:
    """The question does not ask for an older version."""
    newer = newer_versions(
        [["/loans-2025.md", "/loans-2023.md"], ["/fees (corrected).md", "/fees.md"]],
        {"/loans-2023.md", "/fees.md"},
        "How long is a loan?",
    )

    assert newer == {
        "/loans-2023.md": "/loans-2025.md",
        "/fees.md": "/fees (corrected).md",
    }


def test_a_newer_version_that_is_cited_too_is_not_named() -> None:
    """The answer is based on both."""
    cited_files = {"/fees.md", "/fees (corrected).md"}

    assert (
        newer_versions(
            [["/fees (corrected).md", "/fees.md"]], cited_files, "What is due?"
        )
        == {}
    )


# No newer version of a cited file is named if the question is about the older one.
#
# "What did we spend in March?" is rightly answered from /spend-2026-03.md, although /spend-2026-04.md is
# newer. A family is a list of versions of a file, with the newest first.

SPENDING_BY_MONTH = ["/spend-2026-04.md", "/spend-2026-03.md"]


@pytest.mark.parametrize(
    "question",
    [
        "What did we spend in March 2026?",
        "What did we spend in March?",
        "Wie hoch waren die Kosten im März?",
        "What was bought on 12 March 2026?",
        "Total of 2026-03?",
    ],
)
def test_no_newer_month_is_named_for_a_question_about_the_cited_month(
    question: str,
) -> None:
    """The file of March is cited, and the file of April is newer. The question is about March."""
    cited_files = {"/spend-2026-03.md"}

    assert newer_versions([SPENDING_BY_MONTH], cited_files, question) == {}


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("What do we spend?", id="no month"),
        pytest.param("In April 2026?", id="another month"),
        pytest.param("In March 2025?", id="the month of another year"),
    ],
)
def test_the_newer_month_is_named_for_any_other_question(question: str) -> None:
    """The file of March 2026 is cited, but is not what is asked for."""
    newer = newer_versions([SPENDING_BY_MONTH], {"/spend-2026-03.md"}, question)

    assert newer == {"/spend-2026-03.md": "/spend-2026-04.md"}


def test_no_newer_year_is_named_for_a_question_about_the_cited_year() -> None:
    """The file of 2023 is cited, and the file of 2025 is newer."""
    question = "How long were loans in 2023?"

    assert (
        newer_versions(
            [["/loans-2025.md", "/loans-2023.md"]], {"/loans-2023.md"}, question
        )
        == {}
    )


def test_no_newer_number_is_named_for_a_question_about_the_cited_number() -> None:
    """The file of v2 is cited, and the file of v10 is newer."""
    question = "What is returned by v2?"

    api_by_number = ["/api-v10.md", "/api-v2.md"]
    assert newer_versions([api_by_number], {"/api-v2.md"}, question) == {}


# The JUnit file of a run, `run --junit r.xml`, in which each trial is a test case.
#
# JUnit is the form of test results that build servers read. A trial has passed, failed (a score below 1),
# is in error (no answer), or was skipped (no score yet).


def junit_file_of(path: Path, trials: list[TrialSummary]) -> ElementTree.Element:
    """Write the JUnit file of a run with these trials, and return its root element."""
    trials_by_id = {trial.trial_id: trial for trial in trials}
    summary = RunSummary(trials=RunTrials(trials_by_id))
    write_junit(path, "run", cases_of_run(run_details(summary, path).trials))
    return ElementTree.parse(path).getroot()


def test_each_kind_of_trial_is_a_kind_of_test_case(tmp_path: Path) -> None:
    """A passed case has no element in it. The reason of the wrong one has characters that XML
    forbids."""
    path = tmp_path / "r.xml"
    # Characters that XML forbids, and some that it has to escape.
    text_that_breaks_xml = "\x00\x1b[31m <b>&\ud800"
    trials = [
        TrialSummary("right", state="answered", score=1.0),
        TrialSummary(
            "wrong", state="answered", score=0.5, details=(text_that_breaks_xml,)
        ),
        TrialSummary("hidden score", state="answered"),
        TrialSummary("no answer", state="fallback", score=0.0, reason="no steps left"),
        TrialSummary("not started", state="failed", reason="refused"),
    ]

    root = junit_file_of(path, trials)

    elements_of_cases: dict[str | None, list[str]] = {}
    for case in root:
        elements_of_cases[case.get("name")] = [element.tag for element in case]
    assert elements_of_cases == {
        "right": [],
        "wrong": ["failure"],
        "hidden score": ["skipped"],
        "no answer": ["error"],
        "not started": ["error"],
    }
    assert root.get("tests") == "5"
    assert root.get("failures") == "1"
    assert root.get("errors") == "2"
    assert root.get("skipped") == "1"
    assert "score 0.500" in path.read_text(encoding="utf-8")


# `run --fail-under 0.9` fails if the mean score of the run is lower, so that a build can fail.
#
# A run of five trials, of which one is wrong, has a mean score of 0.8:
#
#     --fail-under 0.9    ->    exit code 1, "the mean score 0.800 is lower than 0.9"


def run_five_trials(
    run_command: CommandRunner, script: Path, *options: str
) -> CommandResult:
    """Run with the model of the fixture `script`, and return the result."""
    return run_command(
        "run",
        "--benchmark",
        "tests.support.many_trials:5",
        "--model",
        f"scripted:{script}",
        "--quiet",
        *options,
    )


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        pytest.param("0.8", 0, id="the mean score itself"),
        pytest.param("0.9", 1, id="a higher limit"),
    ],
)
def test_a_run_fails_under_the_limit_of_its_score(
    limit: str, code: int, script: Path, run_command_here: CommandRunner
) -> None:
    result = run_five_trials(run_command_here, script, "--fail-under", limit)

    assert result.code == code


def test_a_run_whose_score_is_too_low_says_so_and_writes_its_junit_file(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """One of the five trials is a failure in the file."""
    result = run_five_trials(
        run_command_here, script, "--fail-under", "0.9", "--junit", "r.xml"
    )

    assert result.code == 1
    assert result.err == "--fail-under: the mean score 0.800 is lower than 0.9\n"
    assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"


def test_a_resumed_run_writes_its_junit_file(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The file has all trials of the run, also those that have ended before."""
    stopped = run_five_trials(run_command_here, script, "--run-time", "0.001")
    assert stopped.code == 4

    for file in (
        "played.xml",
        "finished.xml",
    ):  # The second time, nothing is left to play.
        run_command_here("resume", "last", "--run-time", "600", "--junit", file)

        suite = ElementTree.parse(tmp_path / file).getroot()
        assert (suite.get("tests"), suite.get("failures")) == ("5", "1")


# The table that `run` and `show` print: open and failed trials first, and the others counted.
#
#     trial     score  outcome   steps    time
#     open-0        -  open          0       -
#       interrupted
#     right-0    1.00  answered      0  10.0 s
#     38 more trials, 162 not started
#
# A line that begins with a space belongs to the trial above it.


@pytest.mark.parametrize(
    ("summary", "first_trials", "count_of_others"),
    [
        pytest.param(
            stopped_run(right=56, left_open=2, not_started=162),
            ["open-0", "open-1"],
            "38 more trials, 162 not started",
            id="open before right ones",
        ),
        pytest.param(
            stopped_run(right=20, half_right=2),
            ["half-0", "half-1"],
            "2 more trials",
            id="half right before right ones",
        ),
        pytest.param(
            stopped_run(left_open=2, not_started=3, hidden=19),
            ["open-0", "open-1"],
            "1 more trial, 3 not started",
            id="open before hidden ones",
        ),
        pytest.param(
            stopped_run(left_open=2, not_started=3),
            ["open-0", "open-1"],
            "3 not started",
            id="those that were not started are not shown",
        ),
    ],
)
def test_a_table_of_twenty_trials_shows_the_worst_and_counts_the_others(
    summary: RunSummary,
    first_trials: list[str],
    count_of_others: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Open trials come first, then wrong ones. Trials that were not started have no line."""
    print_run_table(run_details(summary, tmp_path / "id.jsonl"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    _name_of_run, _names_of_columns, *rows = lines
    trial_lines = [row for row in rows if not row.startswith(" ")]
    shown_trials = [line.split()[0] for line in trial_lines[: len(first_trials)]]
    assert shown_trials == first_trials
    assert count_of_others in lines


# How `replay --trial` shows the result of a call: as a tree, as fields, or as lists, for reading.
#
# → look()
#     docs/
#       a


FILE_A = {"name": "a", "is_dir": False, "children": []}


def printed_result(
    result: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Print the page of a step with one call, and return the lines below the call.

    The last line of the page is a menu, and not part of the result.
    """
    call = CallRecord(operation="look", arguments={}, result=result, elapsed_ms=1)
    step = StepDone(trial_id="t", step=1, reply="", calls=(call,))
    scratchpad_before: dict[str, object] = {}
    parts = tuple(step_parts(step, scratchpad_before))
    print_page(Page("step 1", step=1, parts=parts, figures="end"))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    call_line = 0
    while "→ look()" not in lines[call_line]:
        call_line += 1
    return lines[call_line + 1 : -1]


@pytest.mark.parametrize(
    ("result", "expected_lines"),
    [
        pytest.param(
            {"name": "docs", "is_dir": True, "children": [FILE_A]},
            ["    docs/", "      a"],
            id="tree of files",
        ),
        pytest.param(
            {"name": "ada", "is_dir": True, "children": ["bob"]},
            ["    name: ada", "    is_dir: true", "    children: bob"],
            id="person with children, who is not a folder",
        ),
        pytest.param(
            {"name": "ada", "is_dir": True, "children": None},
            ["    name: ada", "    is_dir: true", "    children: null"],
            id="field without a value",
        ),
        pytest.param(
            {"paths": ["/a", "/b"], "truncated": False},
            ["    paths:", "    /a", "    /b", "    truncated: false"],
            id="list of texts",
        ),
        pytest.param(
            {"entries": [{"n": 1}, {"n": 2}]},
            ["    entries:", '    {"n": 1}', '    {"n": 2}'],
            id="list of objects",
        ),
        pytest.param({"paths": []}, ["    paths: []"], id="empty list"),
        pytest.param({}, ["    (nothing)"], id="empty result"),
    ],
)
def test_a_result_of_a_call_is_shown_for_reading(
    result: dict[str, object],
    expected_lines: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert printed_result(result, capsys) == expected_lines
