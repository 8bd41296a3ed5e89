"""`report` writes recorded runs as one HTML file, which opens in a browser without a server.

The file has a table of the trials, worst first, with commands to copy. The trials' pages are in it
as compressed data. Texts of models and environments must not become HTML.
"""

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import JsonValue

from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.report.run_facts import run_facts
from controlplane.report.run_report import run_report
from controlplane.report.trial_commands import commands_about
from tests.controlplane.report.hostile_journal import hostile_journal
from tests.controlplane.report.reported_run import (
    ReportedTrial,
    journal_of_trials,
)
from tests.controlplane.report.viewed import packed_data
from tests.support.command import run_controlplane, run_program
from tests.support.endpoints import completion_json, http_response, model_server
from tests.support.scored_journal import first_line_with


def report_html(*journals: Path) -> str:
    """Return the HTML of a report about runs."""
    return "".join(run_report(journals).pieces)


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


ELEMENTS_WITHOUT_END = {"meta", "link", "input", "br", "img"}
LINK_ATTRIBUTES = {"href", "src", "action", "xlink:href"}
TAG_NAMES = """
    html head meta title style script body header main nav section article
    h1 h2 h3 p a b span div ul li dl dt dd code kbd noscript
    table thead tbody tfoot tr th td details summary figure figcaption
    form label input select option button output dialog
    svg rect line text meter
"""
TAGS_OF_REPORTS = set(TAG_NAMES.split())
"""All kinds of elements that a report has. Hostile texts have others: img, iframe, ..."""


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


@pytest.mark.parametrize("runs", [1, 2])
def test_hostile_text_in_every_field_stays_text(runs: int, tmp_path: Path) -> None:
    """The journals have HTML with scripts in every text from a model, an environment or a user."""
    journals = []
    for number in range(runs):
        journals.append(hostile_journal(tmp_path / f"{number}.jsonl"))
    html = report_html(*journals)

    # The hostile HTML is shown as text.
    page = PageElements(html)
    assert "document.title='owned'" in page.text
    # It has not made any element, script, style or attribute that runs a script.
    assert page.tags <= TAGS_OF_REPORTS
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
"""Added to the command "improve": a loop with its default numbers of worlds takes minutes."""


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


def journal_of_wrong_answers(folder: Path, model_url: str) -> Path:
    """Play two tasks with the model at this address, and return the journal of the run."""
    run = run_controlplane(
        "run",
        "sku-lookup",
        "price-count.1",
        "--model",
        "some/model",
        "--base-url",
        model_url,
        "--api",
        "chat",
        "--max-steps",
        "2",
        "--quiet",
        cwd=folder,
        OPENAI_API_KEY="k",
    )
    assert run.code == 0, run.err
    (journal,) = folder.glob("runs/*.jsonl")
    return journal


def test_each_command_beside_a_failure_works_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is a server in this process, which answers every task wrong. The report of its run
    begins with the commands of `PASTED_COMMANDS`; the test calls them one after the other."""
    monkeypatch.chdir(tmp_path)
    with model_server(http_response(200, REPLY_WITH_WRONG_ANSWER)) as server:
        journal = journal_of_wrong_answers(tmp_path, server.url)
        commands = commands_in_report(report_html(journal))
        commands_beside_failure = commands[: len(PASTED_COMMANDS)]

        for pasted, command in zip(
            PASTED_COMMANDS, commands_beside_failure, strict=True
        ):
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


def commands_about_failure(folder: Path, settings: dict[str, JsonValue]) -> list[str]:
    """Return the commands that a report offers about a run with these settings, whose one trial,
    of the task alpha.1, has failed: `[rerun, fork, judge, improve]`."""
    recorded_settings = []
    for name, value in settings.items():
        recorded_settings.append(Setting(name=name, value=value, source="flag"))
    path = journal_of_trials(
        folder / "a.jsonl",
        [ReportedTrial("alpha.1", score=0.0)],
        settings=recorded_settings,
    )
    with open_journal(path) as journal:
        run = run_facts(journal, number=0, taken=(), is_running=False)
        return [command.line for command in commands_about(run, run.trials)]


SETTINGS_WITH_A_MODEL: dict[str, JsonValue] = {
    "model": "gpt-x",
    "benchmark": "folder:tasks",
    "set": {"a": "b c"},
}


def test_a_failure_comes_with_the_command_to_fork_its_trial(tmp_path: Path) -> None:
    """A fork plays the failed trial again from a step on."""
    _rerun, fork, _judge, _improve = commands_about_failure(
        tmp_path, SETTINGS_WITH_A_MODEL
    )

    assert " fork " in fork
    assert "--trial alpha.1-r0 --step 1" in fork


def test_a_failure_of_a_model_comes_with_the_command_to_improve_it(
    tmp_path: Path,
) -> None:
    """`improve` proposes changes of the prompt. The command has the options of the run."""
    _rerun, _fork, _judge, improve = commands_about_failure(
        tmp_path, SETTINGS_WITH_A_MODEL
    )

    assert improve.endswith(
        "improve alpha.1"
        " --benchmark folder:tasks --model gpt-x --set 'a=b c' --with gpt-x"
    )


@pytest.mark.parametrize("model", ["baseline", "recorded"])
def test_a_failure_without_a_model_comes_without_a_command_to_improve_it(
    model: str, tmp_path: Path
) -> None:
    """A program of the benchmark ("baseline") or recorded replies ("recorded") play
    instead, which no prompt improves."""
    commands = commands_about_failure(tmp_path, {"model": model})

    _rerun, fork, _judge = commands
    assert " fork " in fork
    assert "--trial alpha.1-r0 --step 1" in fork
    for command in commands:
        assert " improve " not in command
