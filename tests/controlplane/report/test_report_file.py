"""`report` writes recorded runs as one HTML file, which opens in a browser without a server.

The file has a table of the trials, worst first, groups of failures with the same reason, what the
gates (checks of submitted answers) sent back, and commands to copy. The trials' pages are in it as
compressed data. Texts of models and environments must not become HTML.
"""

import base64
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import JsonValue

from controlplane.agent.events import Judged, StepDone, VerdictRecord
from controlplane.gate_effects import GateEffect, gate_effects
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.journal.totals.call_keys import CallKey
from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.report.failure_groups import SILENT, failure_groups
from controlplane.report.run_facts import run_facts
from controlplane.report.run_report import run_report
from controlplane.report.task_map import task_rows
from controlplane.report.trial_commands import commands_about
from controlplane.report.trial_facts import TrialFacts
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    hostile_journal,
    journal_of_trials,
)
from tests.support.command import run_controlplane, run_program
from tests.support.endpoints import completion_json, http_response, model_server


def report_html(*journals: Path) -> str:
    """Return the HTML of a report about runs."""
    return "".join(run_report(journals).pieces)


def packed_data(html: str) -> dict[str, Any]:
    """Return the data packed into a report: `{"data-trial-1-1": {"task": "right", ...}, ...}`.

    Each is compressed JSON in an element `<script type="text/plain" id="data-trial-1-1">`.
    """
    blocks = re.findall(
        r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', html
    )
    data = {}
    for name, text in blocks:
        data[name] = json.loads(zlib.decompress(base64.b64decode(text)))
    return data


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


def test_a_journal_that_breaks_off_anywhere_in_a_trial_is_reported(
    tmp_path: Path,
) -> None:
    """The journal of two trials is cut off in the middle of each line of the second one."""
    trials = [ReportedTrial("over"), ReportedTrial("cut", steps=3)]
    journal = journal_of_trials(tmp_path / "a.jsonl", trials, closed=False)
    lines = journal.read_bytes().splitlines(keepends=True)
    start_of_second_trial = 0
    while b'"trial_started","trial_id":"cut-r1"' not in lines[start_of_second_trial]:
        start_of_second_trial += 1

    for last in range(start_of_second_trial, len(lines)):
        cut_journal = tmp_path / f"cut-{last}.jsonl"
        begun_line = lines[last][:40]
        cut_journal.write_bytes(b"".join(lines[:last]) + begun_line)
        report = run_report([cut_journal])
        assert report.trials == 2
        assert "The run was cut off" in "".join(report.pieces)


ELEMENTS_WITHOUT_END = {"meta", "link", "input", "br", "img"}
TAG_NAMES = """
    html head meta title style script body header main nav section article
    h1 h2 h3 p a b span div ul li dl dt dd code kbd noscript
    table thead tbody tfoot tr th td details summary figure figcaption
    form label input select option button output dialog
    svg rect line text meter
"""
TAGS_OF_REPORTS = set(TAG_NAMES.split())
"""All kinds of elements that a report has. Hostile texts have others: img, iframe, ..."""
LINK_ATTRIBUTES = {"href", "src", "action", "xlink:href"}


class PageElements(HTMLParser):
    """Collects what is in a page, and asserts that its elements end in the right order."""

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


@pytest.mark.parametrize("runs", [1, 2])
def test_hostile_text_in_every_field_stays_text(runs: int, tmp_path: Path) -> None:
    """The journals have HTML with scripts in every text from a model, an environment or a user."""
    journals = []
    for number in range(runs):
        journals.append(hostile_journal(tmp_path / f"{number}.jsonl"))
    html = report_html(*journals)

    page = PageElements(html)
    assert page.tags <= TAGS_OF_REPORTS
    assert "style" not in page.attributes
    assert [name for name in page.attributes if name.startswith("on")] == []
    assert page.link_targets
    for target in page.link_targets:
        assert target.startswith("#")  # a place in the page itself
    assert "document.title='owned'" in page.text
    assert html.count("<script>") == 1  # the report's own
    control_characters = "[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]"
    assert re.search(control_characters, html) is None


WRONG_ANSWER_SCRIPT = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "It cannot be said.", "OUTCOME_OK", {}
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
REPLY_WITH_WRONG_ANSWER = completion_json(
    json.dumps(
        {"state": "guess", "plan": [], "done": True, "code": WRONG_ANSWER_SCRIPT}
    )
)
OPTIONS_FOR_A_SHORT_LOOP = " --train 1 --check 101 --final 201 --proposals 1 --batch 1"
"""Added to the command "improve": a loop with its default numbers of tasks takes minutes."""


class PastedCommand(NamedTuple):
    """A command that a user copies from a report, and how it ends in a shell."""

    name: str
    further_options: str
    exit_code: int


PASTED_COMMANDS = [
    PastedCommand("rerun", further_options="", exit_code=0),
    PastedCommand("fork", further_options="", exit_code=0),
    PastedCommand("judge", further_options="", exit_code=0),
    # This model improves nothing, which is a result with exit code 1.
    PastedCommand("improve", further_options=OPTIONS_FOR_A_SHORT_LOOP, exit_code=1),
]
"""The commands in a report beside the first failure, in the order of the page."""


def commands_in_report(html: str) -> list[str]:
    """Return the different commands on the buttons that copy one, in the page's order."""
    commands: list[str] = []
    for attribute in re.findall(r'data-copy="([^"]+)"', html):
        command = unescape(attribute)
        if command not in commands:
            commands.append(command)
    return commands


def test_each_command_beside_a_failure_works_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is a server in this process, which answers every task wrong."""
    monkeypatch.chdir(tmp_path)
    with model_server(http_response(200, REPLY_WITH_WRONG_ANSWER)) as server:
        run = run_controlplane(
            *("run", "sku-lookup", "price-count.1"),
            *("--model", "some/model", "--base-url", server.url, "--api", "chat"),
            *("--max-steps", "2", "--quiet"),
            cwd=tmp_path,
            OPENAI_API_KEY="k",
        )
        assert run.code == 0, run.err
        (journal,) = tmp_path.glob("runs/*.jsonl")
        commands = commands_in_report(report_html(journal))

        for index, pasted in enumerate(PASTED_COMMANDS):
            command = commands[index]
            assert f" {pasted.name} " in command
            result = run_program(
                ["sh", "-c", command + pasted.further_options],
                tmp_path,
                OPENAI_API_KEY="k",
            )
            assert result.code == pasted.exit_code, (command, result.err)

    # The run, its rerun and its fork each have a journal, the loop has a folder.
    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
    assert len(list(tmp_path.glob("runs/*improve*"))) == 1


def rejection(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    """Return the verdict of a gate, or of a rule as gate 0, that objects to an answer.

    With the enforcement "off" the verdict is recorded only, and rejects nothing.
    """
    return VerdictRecord(
        gate=gate, name=name, result="reject", reason="why", enforcement=enforcement
    )


OVERRIDDEN_OBJECTION = VerdictRecord(
    gate=0, name="ecom/return", result="overridden", reason="why"
)
"""The verdict of a rule that objected before, to an answer that the model submits again."""


def summary_of(*submissions: list[VerdictRecord], accepted: list[bool]) -> TrialSummary:
    """Return the summary of a trial with one step, from the verdicts on each submission."""
    judged = []
    for verdicts, is_accepted in zip(submissions, accepted, strict=True):
        judged.append(
            Judged(
                accepted=is_accepted,
                answer="",
                outcome="",
                refs=(),
                message="",
                verdicts=tuple(verdicts),
            )
        )
    run = RunSummary()
    fold_event(run, StepDone(trial_id="t", step=1, verdicts=tuple(judged)))
    return run.trials["t"]


def test_a_gate_that_is_switched_off_counts_no_rejection() -> None:
    """There are three objections to the first answer; that of "class" is switched off."""
    first_verdicts = [
        rejection(4, "citations were read"),
        rejection(0, "ecom/return"),
        rejection(6, "class", enforcement="off"),
    ]
    trial = summary_of(first_verdicts, [], accepted=[False, True])

    assert trial.submissions == [
        Objections(rejected=("4", "ecom/return"), overridden=()),
        Objections(rejected=(), overridden=()),
    ]
    assert {effect.key for effect in gate_effects([trial])} == {"4", "ecom/return"}


def test_an_answer_that_is_submitted_again_over_an_objection_mends_nothing() -> None:
    """A model may insist on its answer. The objection is then recorded as overridden."""
    trial = summary_of(
        [rejection(0, "ecom/return")], [OVERRIDDEN_OBJECTION], accepted=[False, True]
    )
    (effect,) = gate_effects([trial])

    assert effect.sent_back == 1
    assert effect.mended == 0
    assert effect.accepted == 1


def answered_trial(
    task: str, *, run: int = 0, score: float | None = 0.0, details: tuple[str, ...] = ()
) -> TrialFacts:
    """Return a trial on a page about several runs; `run` is the index of its own.

    `details` are the grader's reasons for the score.
    """
    summary = TrialSummary(task, task, state="answered", score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{task}", run, summary)


FAILED_AND_RIGHT_TRIALS = [
    answered_trial("a", details=("missing /x", "missing /y", "late")),
    answered_trial("b", details=("missing /z",), run=1),
    answered_trial("c", score=1.0),
    answered_trial("d"),
    # Not a failure: the score is above 0.
    answered_trial("e", details=("delivered avg 9.5 of 10",), score=0.83),
]


def test_failures_are_grouped_by_their_reasons_without_paths_and_numbers() -> None:
    """The reasons "missing /x" and "missing /y" are of the group "missing …"."""
    groups = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert [group.title for group in groups] == ["missing …", "late", SILENT]
    words = [failure.words for failure in groups[0].failures]
    assert words == ["missing /x", "missing /y", "missing /z"]


def test_a_group_of_failures_counts_each_trial_of_a_run_once() -> None:
    """The trial "a" has two reasons "missing …"."""
    missing, late, silent = failure_groups(FAILED_AND_RIGHT_TRIALS, run_count=2)

    assert missing.trials_by_run == (1, 1)
    assert late.trials_by_run == (1, 0)
    assert silent.trials_by_run == (1, 0)


GATE = "4"
RULE = "ecom/return"


def trial_with_submissions(
    trial_id: str, *rejected_by: tuple[str, ...], score: float | None = 1.0
) -> TrialSummary:
    """Return a trial in which answers were submitted in turn, each rejected by some or none.

    `trial_with_submissions("a", (GATE,), ())` has one that the gate rejects, and one that is
    accepted.
    """
    submissions = []
    for keys in rejected_by:
        submissions.append(Objections(rejected=keys, overridden=()))
    return TrialSummary(
        trial_id, "t", state="answered", score=score, submissions=submissions
    )


def test_a_rejection_is_mended_if_the_next_answer_has_no_such_objection() -> None:
    """Each row has the objections to each answer of a trial, one after the other."""
    trials = [
        # Mended at once.
        trial_with_submissions("a", (GATE,), (), score=1.0),
        # The gate's objection is mended, and comes back with the last answer; the rule's stays
        # for one answer more, and is then mended.
        trial_with_submissions("b", (GATE, RULE), (RULE,), (GATE,), score=0.0),
        # Mended at the second try.
        trial_with_submissions("c", (GATE,), (GATE,), (), score=None),
        # Without a rejection.
        trial_with_submissions("d", (), score=1.0),
        trial_with_submissions("e", score=1.0),
    ]

    gate_effect, rule_effect = gate_effects(trials)

    assert gate_effect == GateEffect(
        GATE, sent_back=5, mended=3, trials=3, accepted=2, right=1, fallback=0
    )
    assert rule_effect == GateEffect(
        RULE, sent_back=2, mended=1, trials=1, accepted=0, right=0, fallback=0
    )


def test_without_a_known_score_it_is_unknown_how_many_trials_were_right() -> None:
    trial = trial_with_submissions("a", (GATE,), (), score=None)
    (effect,) = gate_effects([trial])

    assert effect.right is None


def trial_with_stopped_calls(trial_id: str, *ends: str, score: float) -> TrialSummary:
    """Return a trial in which calls of `pay` were stopped, because their values came from a text
    that is not trusted. `ends` is what became of each call."""
    trial = trial_with_submissions(trial_id, (), score=score)
    for number, end in enumerate(ends):
        key = CallKey("provenance", "pay", path="", arguments=str(number))
        trial.stopped[key] = end
    return trial


def test_stopped_calls_are_counted_with_the_ends_of_their_trials() -> None:
    """A call counts as mended if the model did not repeat it."""
    trials = [
        trial_with_stopped_calls("a", "not done", score=1.0),
        trial_with_stopped_calls("b", "repeated and sent", "done otherwise", score=0.0),
        trial_with_stopped_calls("c", score=1.0),
    ]

    (effect,) = gate_effects(trials)

    assert effect == GateEffect(
        "provenance", sent_back=3, mended=2, trials=2, accepted=2, right=1, fallback=0
    )


def test_a_trial_without_stopped_calls_has_no_effects() -> None:
    assert gate_effects([trial_with_stopped_calls("c", score=1.0)]) == ()


def attempt(
    score: float | None, *, outcome: str = "ok", state: str = "answered"
) -> TrialFacts:
    """Return a trial of the task "t"; the outcome is the class of its answer."""
    summary = TrialSummary("t", "t", state=state, score=score, outcome=outcome)
    return TrialFacts("a", 0, summary)


@pytest.mark.parametrize(
    ("first_run", "second_run", "differs"),
    [
        pytest.param([attempt(1.0)], [attempt(1.0)], False, id="the same score"),
        pytest.param([attempt(1.0)], [attempt(0.5)], True, id="another score"),
        pytest.param(
            [attempt(1.0), attempt(0.0)], [], True, id="two scores in one run"
        ),
        pytest.param(
            [attempt(1.0)], [attempt(None)], False, id="one of the scores is unknown"
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
    first_run: list[TrialFacts], second_run: list[TrialFacts], differs: bool
) -> None:
    """The map of two runs marks the tasks that differ."""
    (row,) = task_rows([first_run, second_run])

    assert row.differs is differs


def commands_about_failure(folder: Path, settings: dict[str, JsonValue]) -> list[str]:
    """Return the commands that a report offers about a run with these settings, whose one trial,
    of the task alpha.1, has failed."""
    path = journal_of_trials(folder / "a.jsonl", [ReportedTrial("alpha.1", score=0.0)])
    recorded_settings = []
    for name, value in settings.items():
        recorded_settings.append(Setting(name=name, value=value, source="flag"))
    with open_journal(path) as journal:
        run = run_facts(journal, 0, (), is_running=False)
        opened = run.summary.opened
        assert opened is not None
        run.summary.opened = opened.model_copy(
            update={"settings": tuple(recorded_settings)}
        )
        return [command.line for command in commands_about(run, run.trials)]


SETTINGS_WITH_A_MODEL: dict[str, JsonValue] = {
    "model": "gpt-x",
    "benchmark": "folder:tasks",
    "set": {"a": "b c"},
}


def test_a_failure_comes_with_the_command_to_fork_its_trial(tmp_path: Path) -> None:
    """A fork plays the failed trial again from a step on."""
    _, fork, *_ = commands_about_failure(tmp_path, SETTINGS_WITH_A_MODEL)

    assert "fork" in fork
    assert "--trial alpha.1-r0 --step 1" in fork


def test_a_failure_of_a_model_comes_with_the_command_to_improve_it(
    tmp_path: Path,
) -> None:
    """`improve` proposes changes of the prompt. The command has the options of the run."""
    commands = commands_about_failure(tmp_path, SETTINGS_WITH_A_MODEL)

    (improve,) = [command for command in commands if " improve " in command]
    assert improve.endswith(
        "improve alpha.1"
        " --benchmark folder:tasks --model gpt-x --set 'a=b c' --with gpt-x"
    )


@pytest.mark.parametrize("model", ["baseline", "recorded"])
def test_a_failure_without_a_model_comes_without_a_command_to_improve_it(
    model: str, tmp_path: Path
) -> None:
    """These players are programs, which no prompt improves."""
    commands = commands_about_failure(tmp_path, {"model": model})

    assert [command for command in commands if " improve " in command] == []
    assert "fork" in commands[1]
    assert "--trial alpha.1-r0 --step 1" in commands[1]
