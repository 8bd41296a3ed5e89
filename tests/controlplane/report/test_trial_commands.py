"""A report says why trials failed, what gates and rules did, and which commands help.

Failures are grouped by their causes. Rejections, overridden objections and stopped calls are
counted by gate and rule, with what became of them. A journal that breaks off is reported as far as
it goes. Texts of others stay texts. The commands beside a failure work as a user pastes them.
"""

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pydantic import JsonValue

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.facts.trial_facts import NO_REMARK, trial_facts
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import ResolvedSetting
from controlplane.journal.totals.run_summary import RunSummary, fold_event
from controlplane.journal.totals.trial_summary import CallKey, Objections, TrialSummary
from controlplane.rejection_counts import RejectionCounts, rejection_counts
from controlplane.report.run_pages import (
    ShownTrial,
    commands_about,
    failure_groups,
    shown_run,
    task_rows,
)
from controlplane.report.run_report import run_report
from tests.controlplane.report.hostile_journal import (
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
)
from tests.controlplane.report.packed_data import packed_data
from tests.support.command import CommandResult, run_controlplane, run_program
from tests.support.journals import first_line_with
from tests.support.phonebook_model import completion_json, http_response, model_server

# Trials in which gates or rules, checks of a submitted answer, rejected some answers.
#
#     trial("a", rejected_by("4"), ACCEPTED, score=1.0)
#
# In this trial, the gate 4 rejected the first answer; the second one was accepted, and scored 1.


def rejected_by(*gates: str) -> Objections:
    """Return what is counted of an answer that these gates and rules rejected."""
    return Objections(rejected=gates, overridden=())


ACCEPTED = rejected_by()


def rejected_trials_trial(
    trial_id: str,
    *answers: Objections,
    score: float | None = None,
    state: str = "answered",
) -> TrialSummary:
    """Return a trial in which the model submitted these answers, one after the other."""
    return TrialSummary(
        trial_id, "t", state=state, score=score, submissions=list(answers)
    )


# What is in an HTML page: its tags, attributes, links and texts.
#
#     PageElements("<p>hello</p>").tags    ->    {"p"}
#
# It asserts that elements end in the right order.

ELEMENTS_WITHOUT_END = {"meta", "link", "input", "br", "img"}


LINK_ATTRIBUTES = {"href", "src", "action", "xlink:href"}


class PageElements(HTMLParser):
    """Collects what is in a page, and asserts that its elements end in the right order.

    The parser calls the methods `handle_...` for each tag and each piece of text.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.link_targets: set[str] = set()
        self.text = ""
        self._open_tags: list[str] = []
        self.feed(html)
        self.close()
        assert self._open_tags == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in LINK_ATTRIBUTES:
                self.link_targets.add(value or "")
        if tag not in ELEMENTS_WITHOUT_END:
            self._open_tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open_tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


# The commands that a report offers about a run whose one trial has failed.
#
#     commands_about_failure(tmp_path, {"model": "gpt-x"})    ->    [rerun, fork, judge]
#
# The run was called with `--model gpt-x`.


def commands_about_failure(folder: Path, settings: dict[str, JsonValue]) -> list[str]:
    """Return the commands that a report offers about a run with these settings, whose one trial,
    of the task alpha.1, has failed: `[rerun, fork, judge]`.

    `commands_about_failure(tmp_path, {"model": "gpt-x"})`: the run was called with `--model gpt-x`.
    """
    recorded_settings = []
    for name, value in settings.items():
        recorded_settings.append(ResolvedSetting(name=name, value=value, source="flag"))
    path = journal_of_trials(
        folder / "a.jsonl",
        [ReportedTrial("alpha.1", score=0.0)],
        settings=recorded_settings,
    )
    with open_journal(path) as journal:
        run = shown_run(journal, number=0, taken=(), is_running=False)
        return [command.line for command in commands_about(run, run.trials)]


# Commands in a report, and a shell into which a user pastes them.
#
# For example:
#
#     rerun, fork, judge, *_ = commands_in_report(journal)
#     run_in_shell(rerun, folder).code          ->    0
#     run_words_of_shell(fork, folder).code     ->    0

WRONG_ANSWER_SCRIPT = """
scratchpad["answer"] = "It cannot be said."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {}  # no citations
harness.answer(scratchpad, lambda scratchpad: True)
"""
"""A script that answers any task wrong. Its check of its own answer, the function, accepts all.

The test starts a server of models that replies with this script to every request.
"""


def journal_of_wrong_answers(folder: Path, model_url: str) -> Path:
    """Play one task with the model at this address, and return the journal of the run.

    The address is that of a server which replies with `WRONG_ANSWER_SCRIPT`.
    """
    run = run_controlplane(
        "run",
        "sku-lookup.1",
        *("--model", "some/model"),
        *("--base-url", model_url),
        *("--api", "chat"),
        *("--max-steps", "2"),
        "--quiet",
        cwd=folder,
        OPENAI_API_KEY="k",
    )
    assert run.code == 0, run.err
    (journal,) = folder.glob("runs/*.jsonl")
    return journal


def commands_in_report(journal: Path) -> list[str]:
    """Return the different commands on the buttons of a report that copy one, in its order:
    those beside the first failure, `[rerun, fork, judge, ...]`, come first."""
    html = "".join(run_report([journal]).pieces)
    commands: list[str] = []
    for attribute in re.findall(r'data-copy="([^"]+)"', html):
        command = unescape(attribute)
        if command not in commands:
            commands.append(command)
    return commands


def run_in_shell(command: str, folder: Path) -> CommandResult:
    """Run the text of a command as a user does who pastes it."""
    return run_program(["sh", "-c", command], folder, OPENAI_API_KEY="k")


def run_words_of_shell(command: str, folder: Path) -> CommandResult:
    """Run `controlplane` with the words that a shell makes of a command's text.

    This starts no new Python, which `run_in_shell` does.
    """
    printed_words = run_program(["sh", "-c", f"printf '%s\\n' {command}"], folder)
    _program, *arguments = printed_words.out.splitlines()
    return run_controlplane(*arguments, cwd=folder, OPENAI_API_KEY="k")


# Failed trials are grouped by their cause, without paths and numbers, in reports.
#
# The causes "missing /x" and "missing /z" are of one group, "missing …", so that a user sees what went
# wrong most often. The trials of two runs, of which only b is of the second one:
#
#     a   score 0      "missing /x", "missing /y", "late"
#     b   score 0      "missing /z"
#     c   score 1
#     d   score 0      no reason
#     e   score 0.83   "delivered avg 9.5 of 10"


def answered_trial(
    task: str, *, run: int = 0, score: float | None = 0.0, details: tuple[str, ...] = ()
) -> ShownTrial:
    """Return a trial on a page about several runs; `run` is the index of its own.

    `details` are the grader's reasons for the score.
    """
    summary = TrialSummary(task, task, state="answered", score=score, details=details)
    return ShownTrial(f"trial-{run + 1}-{task}", run, trial_facts(summary))


FAILED_AND_RIGHT_TRIALS = [
    answered_trial("a", details=("missing /x", "missing /y", "late")),
    answered_trial("b", details=("missing /z",), run=1),
    answered_trial("c", score=1.0),
    # A failure without a reason.
    answered_trial("d"),
    # Not a failure: the score is above 0.
    answered_trial("e", details=("delivered avg 9.5 of 10",), score=0.83),
]
"""The trials of two runs. Only b is of the second run."""


def test_failures_are_grouped_by_their_causes_without_paths_and_numbers() -> None:
    """The causes "missing ..." of a and b are one group. The trials c and e are in none."""
    groups = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert [group.title for group in groups] == ["missing …", NO_REMARK]
    missing, _silent = groups
    causes = [failure.facts.faults[0] for failure in missing.failures]
    assert causes == ["missing /x", "missing /z"]


def test_a_failed_trial_has_one_row_with_its_cause_first() -> None:
    """The trial a has three faults. The first one decides its group; the others follow it."""
    groups = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    rows = [failure for group in groups for failure in group.failures]
    assert [row.facts.task for row in rows] == ["a", "b", "d"]
    assert rows[0].facts.faults == ["missing /x", "missing /y", "late"]


def test_the_cause_of_a_trial_without_an_answer_is_how_it_ended() -> None:
    """The grader judges the fallback, and its remarks say less than why there is no answer."""
    summary = TrialSummary(
        "f",
        "f",
        state="fallback",
        reason="no answer within 30 steps",
        outcome="OUTCOME_ERR_INTERNAL",
        score=0.0,
        details=("missing /x",),
    )
    (group,) = failure_groups(
        [ShownTrial("trial-1-f", 0, trial_facts(summary))], run_count=1
    )

    assert group.title == "no answer within 30 steps"
    (row,) = group.failures
    assert row.facts.faults[1:] == ["fallback: ERR_INTERNAL", "missing /x"]


def test_a_held_call_is_a_reason_with_the_option_that_sends_it() -> None:
    """The value of the amount stood only in a text that the trial had read. A call that was
    repeated and sent, or a trial with the full score, needs no remedy."""
    held = CallKey("provenance", "pay", "", '{"amount": 9}')
    sent = CallKey("provenance", "note", "/a.md", "{}")
    stopped = {held: "not done", sent: "repeated and sent"}
    wrong = TrialSummary("w", "w", state="answered", score=0.0, stopped=stopped)
    right = TrialSummary("r", "r", state="answered", score=1.0, stopped=stopped)

    text = "pay was held, as its values stand only in read text; --provenance pay=off sends it"
    assert trial_facts(wrong).reasons == [text]
    assert trial_facts(right).reasons == []


def test_a_group_of_failures_counts_the_trials_of_each_run() -> None:
    """The numbers are those of the first and of the second run."""
    missing, silent = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert missing.trials_by_run == [1, 1]
    assert silent.trials_by_run == [1, 0]


# A report about two runs has a map of the tasks, which marks a task whose trials differ.
#
# What is not known makes no difference. An outcome is the kind of an answer, such as "denied"; trials are
# compared by it if their scores are not known.


def attempt(
    score: float | None, *, outcome: str = "ok", state: str = "answered"
) -> ShownTrial:
    """Return a trial of the task "t".

    The outcome is the kind of its answer, such as "denied". Trials can be compared by it if their
    scores are not known.
    """
    summary = TrialSummary("t", "t", state=state, score=score, outcome=outcome)
    return ShownTrial("a", 0, trial_facts(summary))


@pytest.mark.parametrize(
    ("first_run", "second_run", "differs"),
    [
        pytest.param([attempt(1.0)], [attempt(1.0)], False, id="the same score"),
        pytest.param([attempt(1.0)], [attempt(0.5)], True, id="another score"),
        pytest.param(
            [attempt(1.0), attempt(0.0)], [], True, id="two scores in one run"
        ),
        pytest.param(
            [attempt(1.0)],
            [attempt(None)],
            False,
            id="one of the scores is unknown",
        ),
        pytest.param(
            [attempt(None, outcome="ok")],
            [attempt(None, outcome="denied")],
            True,
            id="no scores, another outcome",
        ),
        pytest.param(
            [attempt(None, outcome="ok")],
            [attempt(None, outcome="ok")],
            False,
            id="no scores, the same outcome",
        ),
        pytest.param(
            [attempt(None, outcome="ok")],
            [attempt(None, outcome="", state="running")],
            False,
            id="one trial is not over",
        ),
    ],
)
def test_a_task_differs_if_its_attempts_have_other_scores_or_outcomes(
    first_run: list[ShownTrial], second_run: list[ShownTrial], differs: bool
) -> None:
    """The map has a row for each task."""
    (row,) = task_rows([first_run, second_run])

    assert row.differs is differs


# A report counts what a gate rejected in a run: answers, and trials.
#
# A gate, or a rule that a benchmark adds, is a check of a submitted answer. It may reject the answer, and
# the model submits another one. `RejectionCounts("4", sent_back=3, trials=2, ...)` counts that for the gate 4.


def test_each_rejection_of_an_answer_counts_as_sent_back() -> None:
    (effect,) = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), ACCEPTED),
            rejected_trials_trial("b", rejected_by("4"), rejected_by("4"), ACCEPTED),
        ]
    )

    assert effect.key == "4"
    assert effect.sent_back == 1 + 2


def test_a_trial_with_several_rejections_counts_once_among_the_trials() -> None:
    (effect,) = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), ACCEPTED),
            rejected_trials_trial("b", rejected_by("4"), rejected_by("4"), ACCEPTED),
            rejected_trials_trial("c", ACCEPTED),  # no rejection
        ]
    )

    assert effect.trials == 2


def test_the_gate_with_the_most_rejections_comes_first() -> None:
    """A rule counts like a gate, by its name."""
    effects = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4", "ecom/return"), ACCEPTED),
            rejected_trials_trial("b", rejected_by("ecom/return"), ACCEPTED),
        ]
    )

    assert [effect.key for effect in effects] == ["ecom/return", "4"]


def test_trials_without_a_rejection_have_no_effects() -> None:
    accepted_at_once = rejected_trials_trial("a", ACCEPTED, score=1.0)
    without_an_answer = rejected_trials_trial("b", score=1.0)

    assert rejection_counts([accepted_at_once, without_an_answer]) == ()


# A report counts how trials ended in which a gate rejected an answer.
#
# A gate is a check of a submitted answer. The trial may end with an accepted answer, which is right if it
# scored 1, or with the fallback, an answer of the product.


def test_a_trial_counts_as_accepted_if_its_last_answer_was() -> None:
    (effect,) = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), ACCEPTED),
            rejected_trials_trial("b", rejected_by("4")),
        ]
    )

    assert effect.accepted == 1


def test_a_trial_counts_as_right_if_it_scored_1() -> None:
    """The score of the trial c is not known."""
    (effect,) = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), ACCEPTED, score=1.0),
            rejected_trials_trial("b", rejected_by("4"), ACCEPTED, score=0.0),
            rejected_trials_trial("c", rejected_by("4"), ACCEPTED, score=None),
        ]
    )

    assert effect.right == 1


def test_without_a_known_score_it_is_unknown_how_many_trials_were_right() -> None:
    (effect,) = rejection_counts(
        [rejected_trials_trial("a", rejected_by("4"), ACCEPTED, score=None)]
    )

    assert effect.right is None


def test_a_trial_that_ended_with_the_fallback_answer_is_counted() -> None:
    (effect,) = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), state="fallback"),
            rejected_trials_trial("b", rejected_by("4"), ACCEPTED, state="answered"),
        ]
    )

    assert effect.fallback == 1


# A rejection is mended if the gate that rejected an answer does not object to the next one.
#
# A gate, or a rule that a benchmark adds, is a check of a submitted answer.
#
# Of the three answers of a trial, the gate 4 rejects the first and the last:
#
#     rejected_by("4")        mended
#     rejected_by("rule")     mended
#     rejected_by("4")        not mended: no answer follows


@pytest.mark.parametrize(
    ("answers", "mended"),
    [
        pytest.param(
            [rejected_by("4"), ACCEPTED],
            {"4": "1 of 1"},
            id="the next answer is accepted",
        ),
        pytest.param(
            [
                rejected_by("4"),  # not mended: the gate objects again
                rejected_by("4"),  # mended
                ACCEPTED,
            ],
            {"4": "1 of 2"},
            id="rejected again by the same gate",
        ),
        pytest.param(
            [
                rejected_by("4"),  # mended
                rejected_by("rule"),  # mended
                rejected_by("4"),  # not mended: no answer follows
            ],
            {"4": "1 of 2", "rule": "1 of 1"},
            id="rejected by gate and rule in turn",
        ),
        pytest.param(
            [
                rejected_by("4", "rule"),  # mended for the gate, not for the rule
                rejected_by("rule"),  # mended
                rejected_by("4"),  # not mended: no answer follows
            ],
            {"4": "1 of 2", "rule": "1 of 2"},
            id="rejected by both, then by each",
        ),
    ],
)
def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection(
    answers: list[Objections], mended: dict[str, str]
) -> None:
    """ "1 of 2" says that the gate or rule rejected two answers, of which one was mended."""
    trial = TrialSummary("a", "t", state="answered", submissions=answers)

    counts = {}
    for effect in rejection_counts([trial]):
        counts[effect.key] = f"{effect.mended} of {effect.sent_back}"

    assert counts == mended


# An answer that is submitted again over an objection mends nothing.
#
# A gate, or a rule that a benchmark adds, is a check of a submitted answer. A model may insist on its
# answer. The second objection is then recorded as overridden, and the answer is accepted.


def test_an_answer_that_is_submitted_again_over_an_objection_mends_nothing() -> None:
    first_answer = rejected_by("rule")
    same_answer = Objections(rejected=(), overridden=("rule",))
    trial = TrialSummary(
        "a", "t", state="answered", submissions=[first_answer, same_answer]
    )

    (effect,) = rejection_counts([trial])

    assert effect.sent_back == 1
    assert effect.mended == 0
    assert effect.accepted == 1


# The effects of a gate and of a rule on the same trials are counted side by side in a report.
#
# A gate, here the one called "4", is a check of a submitted answer. A rule, here "ecom/return", is a
# check that a benchmark adds. Trial a submits two answers and trial b three:
#
#     trial   answer   rejected by
#     a       1        4
#             2        nothing: it is accepted, and right
#     b       1        4 and ecom/return
#             2        ecom/return
#             3        4: the trial ends without an accepted answer


def test_all_numbers_of_a_gate_and_a_rule_are_counted_side_by_side() -> None:
    gate_effect, rule_effect = rejection_counts(
        [
            rejected_trials_trial("a", rejected_by("4"), ACCEPTED, score=1.0),
            rejected_trials_trial(
                "b",
                rejected_by("4", "ecom/return"),
                rejected_by("ecom/return"),
                rejected_by("4"),
                score=0.0,
            ),
        ]
    )

    assert gate_effect == RejectionCounts(
        "4",
        sent_back=3,  # answers that it rejected
        mended=2,  # of them, those whose next answer it did not reject: a1 and b1
        trials=2,  # trials in which it rejected an answer
        accepted=1,  # of them, those that ended with an accepted answer
        right=1,  # of them, those that scored 1
        fallback=0,  # of them, those that ended with an answer of the run's own
    )
    assert rule_effect == RejectionCounts(
        "ecom/return",
        sent_back=2,
        mended=1,  # b2
        trials=1,
        accepted=0,
        right=0,
        fallback=0,
    )


# Texts of models, environments and users stay texts in a report, and do not become HTML.
#
# `hostile_journal` writes runs whose texts end elements, begin scripts, load images and steer terminals:
# `<script>document.title='owned'</script>`.

TAG_NAMES = """
    html head meta title style script body header main nav section article
    h1 h2 h3 p a b span div ul li dl dt dd code kbd noscript
    table thead tbody tfoot tr th td details summary figure figcaption
    form label input select option button output dialog
    svg rect line text meter
"""


@pytest.mark.parametrize("runs", [1, 2])
def test_hostile_text_in_every_field_stays_text(runs: int, tmp_path: Path) -> None:
    """The journals have HTML with scripts in every text from a model, an environment or a user."""
    journals = []
    for number in range(runs):
        journals.append(hostile_journal(tmp_path / f"{number}.jsonl"))
    html = "".join(run_report(journals).pieces)

    # The hostile HTML is shown as text.
    page = PageElements(html)
    assert "document.title='owned'" in page.text
    # All kinds of elements that a report has. Hostile texts have others: img, iframe, ...
    tags_of_reports = set(TAG_NAMES.split())
    # It has not made any element, script, style or attribute that runs a script.
    assert page.tags <= tags_of_reports
    assert html.count("<script>") == 1  # the report's own
    assert "style" not in page.attributes
    assert [name for name in page.attributes if name.startswith("on")] == []
    # All links lead to places in the page itself.
    assert page.link_targets
    for target in page.link_targets:
        assert target.startswith("#")
    # No character turns the direction of the text, or steers a terminal.
    control_characters = "[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]"
    assert re.search(control_characters, html) is None


# A run whose journal breaks off anywhere in a trial is reported.
#
# A journal is the record of a run, a file with an event in each line. A kill may cut it off. The report,
# an HTML file, says "The run was cut off".


def test_a_journal_that_breaks_off_anywhere_in_a_trial_is_reported(
    tmp_path: Path,
) -> None:
    """The journal of two trials is cut off in the middle of each line of the second one."""
    trials = [ReportedTrial("over"), ReportedTrial("cut", steps=3)]
    journal = journal_of_trials(tmp_path / "a.jsonl", trials, closed=False)
    lines = journal.read_bytes().splitlines(keepends=True)
    start_of_second_trial = first_line_with(
        b'"trial_started","trial_id":"cut-r1"', lines
    )

    for whole_lines in range(start_of_second_trial, len(lines)):
        cut_journal = tmp_path / f"cut-{whole_lines}.jsonl"
        begun_line = lines[whole_lines][:40]
        cut_journal.write_bytes(b"".join(lines[:whole_lines]) + begun_line)

        report = run_report([cut_journal])

        assert report.trials == 2
        assert "The run was cut off" in "".join(report.pieces)


# `report` writes recorded runs as one HTML file, which opens in a browser without a server.
#
# The file has a table of the trials, worst first. The trials' pages are in it as compressed data, such as
# "data-trial-1-2" of the second trial of the first run.


@pytest.fixture
def journal_of_three_trials(tmp_path: Path) -> Path:
    """The journal of a run with the tasks right, wrong and half, of the scores 1, 0 and 0.5."""
    trials = [
        ReportedTrial("right", score=1.0),
        ReportedTrial("wrong", score=0.0, details=("no",)),
        ReportedTrial("half", score=0.5),
    ]
    return journal_of_trials(tmp_path / "a.jsonl", trials)


def test_a_report_counts_its_runs_and_trials(journal_of_three_trials: Path) -> None:
    report = run_report([journal_of_three_trials])

    assert report.runs == 1
    assert report.trials == 3


def report_html(*journals: Path) -> str:
    """Return the HTML of a report about runs."""
    return "".join(run_report(journals).pieces)


def test_every_trial_has_a_page_of_data(journal_of_three_trials: Path) -> None:
    """The numbers in a page's name are those of the run and of the trial in it."""
    data = packed_data(report_html(journal_of_three_trials))

    assert data["data-trial-1-1"]["task"] == "right"
    assert data["data-trial-1-2"]["task"] == "wrong"
    assert data["data-trial-1-3"]["task"] == "half"


def test_the_table_links_to_every_trial_worst_first(
    journal_of_three_trials: Path,
) -> None:
    html = report_html(journal_of_three_trials)

    _, _, table = html.partition('<table class="trials"')
    assert re.findall(r'<a href="#(trial-1-\d)">(\w+)<', table) == [
        ("trial-1-2", "wrong"),
        ("trial-1-3", "half"),
        ("trial-1-1", "right"),
    ]


# Which gates and rules objected to an answer is read from the verdicts in a journal.
#
# Gates are the product's checks of an answer, with the numbers 1 to 8. A rule is a check that a
# benchmark adds. The verdict of a rule has the gate 0, and the rule's name: "ecom/return".


def objections_to(*verdicts: VerdictRecord, accepted: bool) -> Objections:
    """Return what is counted of a step that submitted an answer with these verdicts."""
    submission = Judged(
        accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts
    )
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=(submission,)))
    (objections,) = run.trials["t"].submissions  # one for each submitted answer
    return objections


def test_gates_and_rules_that_rejected_an_answer_are_counted_by_number_and_name() -> (
    None
):
    by_gate = VerdictRecord(
        gate=4, name="citations were read", result="reject", reason="why"
    )
    by_rule = VerdictRecord(gate=0, name="ecom/return", result="reject", reason="why")

    objections = objections_to(by_gate, by_rule, accepted=False)

    assert objections == Objections(rejected=("4", "ecom/return"), overridden=())


def test_a_gate_that_is_switched_off_counts_no_rejection() -> None:
    """The verdict of such a gate is only recorded: the answer is sent all the same."""
    switched_off = VerdictRecord(
        gate=6, name="class", result="reject", reason="why", enforcement="off"
    )

    objections = objections_to(switched_off, accepted=True)

    assert objections == Objections(rejected=(), overridden=())


def test_an_objection_over_which_the_model_insisted_counts_as_overridden() -> None:
    """The model submits the same answer again after an objection, and it is accepted."""
    overridden = VerdictRecord(
        gate=0, name="ecom/return", result="overridden", reason="why"
    )

    objections = objections_to(overridden, accepted=True)

    assert objections == Objections(rejected=(), overridden=("ecom/return",))


def test_an_answer_without_verdicts_has_no_objections() -> None:
    assert objections_to(accepted=True) == Objections(rejected=(), overridden=())


# A report has a row for each check that stopped calls, and tells what became of these calls.
#
# The check "provenance" stops a payment whose account comes from a text that is not trusted. What the
# model did then is the end of the call: "not done", "done otherwise", or "repeated and sent".


def trial(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial with a stopped payment for each end, and one answer, which was accepted."""
    nobody_objects = Objections(rejected=(), overridden=())
    stopped_calls = {}
    for number, end in enumerate(ends):
        payment = CallKey(
            stopped_by="provenance", operation="pay", path="", arguments=str(number)
        )
        stopped_calls[payment] = end
    return TrialSummary(
        trial_id,
        task_id="t",
        state="answered",
        score=score,
        submissions=[nobody_objects],
        stopped=stopped_calls,
    )


def test_stopped_calls_are_counted_with_the_ends_of_their_trials() -> None:
    """Only the trials a and b count, as no call of c was stopped."""
    (effect,) = rejection_counts(
        [
            trial("a", "not done", score=1.0),
            trial("b", "repeated and sent", "done otherwise", score=0.0),
            trial("c", score=1.0),
        ]
    )

    assert effect == RejectionCounts(
        key="provenance",
        sent_back=3,  # calls that the check stopped, in a and b
        mended=2,  # of these, "not done" and "done otherwise": not made after all
        trials=2,  # with a stopped call: a and b
        accepted=2,  # trials with an accepted answer: a and b
        right=1,  # trials with the score 1: a
        fallback=0,  # trials that ended with a fallback answer, as none was accepted
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert rejection_counts([trial("c", score=1.0)]) == ()


# The commands that a report offers beside a failed trial have the options of the run.
#
# The run was called with `--benchmark folder:tasks --model gpt-x --set "a=b c"`, or with the name of
# another player. `fork` plays the failed trial of alpha.1 again from a step on.

SETTINGS_WITH_A_MODEL: dict[str, JsonValue] = {
    "model": "gpt-x",
    "benchmark": "folder:tasks",
    "set": {"a": "b c"},
}


def test_a_failure_comes_with_the_command_to_fork_its_trial(tmp_path: Path) -> None:
    """A fork plays the failed trial again from a step on."""
    _rerun, fork, _judge = commands_about_failure(tmp_path, SETTINGS_WITH_A_MODEL)

    assert " fork " in fork
    assert "--trial alpha.1-r0 --step 1" in fork


# The commands beside the first failure of a report work as a user pastes them into a shell.
#
#     rerun     plays the failed trials again
#     fork      plays the first of them again from its last step on
#     judge     checks all answers again, by the checks of the installed version


def test_each_command_beside_a_failure_works_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is about a run whose model answers every task wrong. The model goes on to
    reply, also to the commands."""
    monkeypatch.chdir(tmp_path)
    # The reply of a model that answers every task wrong.
    reply_with_wrong_answer = completion_json(
        json.dumps(
            {
                "state": "guess",
                "plan": [],
                "done": True,
                "code": WRONG_ANSWER_SCRIPT,
            }
        )
    )

    with model_server(http_response(200, reply_with_wrong_answer)) as server:
        journal = journal_of_wrong_answers(tmp_path, server.url)
        rerun, fork, judge, *_ = commands_in_report(journal)

        # One command runs as it stands. The others name the same program.
        program = rerun.partition(" rerun ")[0]
        for command in (fork, judge):
            assert command.startswith(f"{program} ")

        assert " rerun " in rerun
        rerun_result = run_in_shell(rerun, tmp_path)
        assert rerun_result.code == 0, rerun_result.err

        assert " fork " in fork
        fork_result = run_words_of_shell(fork, tmp_path)
        assert fork_result.code == 0, fork_result.err

        assert " judge " in judge
        judge_result = run_words_of_shell(judge, tmp_path)
        assert judge_result.code == 0, judge_result.err

    # The run, its rerun and its fork each have a journal.
    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
