"""`replay` shows a recorded trial, and checks its journal by computing the trial again.

`replay last --trial t1` prints each step: the model's script, its output, what the gates (checks
of a submitted answer) said. `replay last --verify` runs the scripts again on the recorded results
of calls, without a model, and reports what differs. `judge` does the same with other gates or
another grader, to show which answers they would have stopped or scored differently.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane import open_journal
from controlplane.agent.events import (
    AnswerSent,
    SubmissionJudged,
    event_classes,
    type_of,
    varying_fields,
)
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.errors import Interrupted, JournalDamaged, ReplayDiverged, UsageError
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import JournalEvent, RunOpened
from controlplane.replay.compared_fields import compared_fields
from tests.support.command import (
    ROOT,
    CommandResult,
    CommandRunner,
    check_error_line,
    run_controlplane,
    run_in_process,
)
from tests.support.scored_journal import read_events
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET
from tests.support.terminal import CTRL_C, LEFT, RIGHT, Terminal

SUCCESS = 0
"""The exit code of a command that did what it was asked for."""


def open_trial_in_terminal(
    recorded: tuple[Path, CommandResult], *, rows: int = 24
) -> Terminal:
    """Start `replay` of the first failed trial of the run "first", seat-005, in a terminal.

    The fixture `recorded` has the folder of that run, whose 25 trials have three steps each:
    count, an answer that a gate sends back, and the answer "7", while the grader expects 8.
    """
    folder, _ = recorded
    words = ("replay", "first", "--trial", "seat-005")
    return Terminal(*words, cwd=folder, columns=80, rows=rows)


class KeyPress(NamedTuple):
    key: str
    screen: str
    """A regular expression that the screen fits after the key."""


STEP_1 = r"step 1 of 3 · score 0.00 · trial 1 of 25, worst first\n"
WALK_THROUGH_THE_TRIAL = [
    # n and p: the next and the previous page.
    KeyPress("n", STEP_1 + r"count\n  1. count\n  2. answer\n── code"),
    KeyPress("p", "initial prompt"),
    # Enter, the arrows and the space bar turn pages, too.
    KeyPress(
        "\r",
        r"→ count\(\).*\n── output ─+\n  counted 7\n── scratchpad ─+\n  \+ n = \"7\"",
    ),
    KeyPress(
        RIGHT,
        r"step 2 of 3[\s\S]*gates ✓ · · · · ✓ - ·  sent back OUTCOME_OK\n"
        r"  ✗ gate 6 \(wording\)",
    ),
    KeyPress(LEFT, "step 1 of 3"),
    # r: the next step whose answer was rejected.
    KeyPress("r", "step 2 of 3"),
    KeyPress(" ", r"step 3 of 3[\s\S]*~ answer: \"OUTCOME_OK\"\n +→ \"7\""),
    KeyPress("r", "no further rejection in this trial"),
    KeyPress("n", "the end .*score 0.00"),
    KeyPress("n", "this is the end; t: the next trial"),
    # t: the next trial.
    KeyPress("t", "seat-010 · initial prompt .* trial 2 of 25"),
    KeyPress("p", "this is the beginning"),
]


def test_each_key_prints_the_page_that_it_names(
    recorded: tuple[Path, CommandResult],
) -> None:
    """In a terminal, `replay` shows a page of the trial and waits for a key for another page."""
    with open_trial_in_terminal(recorded, rows=60) as terminal:
        terminal.wait_for(
            "seat-005 · initial prompt · score 0.00 · trial 1 of 25, worst first\n"
            "How many are there"
        )
        for press in WALK_THROUGH_THE_TRIAL:
            terminal.wait_for(r"q quit\s*$")  # the end of the line of keys
            terminal.screen.reset()
            terminal.press(press.key, press.screen)
        terminal.type("q")

        assert terminal.finish() == SUCCESS
        assert terminal.is_as_before


@pytest.mark.parametrize(
    ("key", "exit_code"),
    [
        pytest.param(CTRL_C, Interrupted.exit_code, id="Ctrl-C"),
        pytest.param("q", SUCCESS, id="q"),
    ],
)
def test_the_terminal_is_restored_when_replay_ends(
    key: str, exit_code: int, recorded: tuple[Path, CommandResult]
) -> None:
    """While `replay` reads single keys, the terminal is in another mode and hides the cursor."""
    with open_trial_in_terminal(recorded) as terminal:
        terminal.wait_for("q quit")
        terminal.type(key)

        assert terminal.finish() == exit_code
        assert terminal.is_as_before


PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)
"""Finds the heading of a page of a trial, such as `── step 2`."""
ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]
FROM_THE_SYSTEM_PROMPT = "You solve one task"
FROM_THE_GRADER = "grader: expected 8"


def replay_into_pipe(
    recorded: tuple[Path, CommandResult], *options: str
) -> CommandResult:
    """Replay the trial seat-005 of the run "first" without a terminal."""
    folder, _ = recorded
    words = ("replay", "first", "--trial", "seat-005")
    return run_in_process(*words, *options, cwd=folder)


def test_through_a_pipe_the_end_comes_first_and_long_texts_are_cut(
    recorded: tuple[Path, CommandResult],
) -> None:
    """The end has the answer and the score, which a reader wants first."""
    cut = replay_into_pipe(recorded)
    full = replay_into_pipe(recorded, "--full")

    assert cut.code == SUCCESS
    assert cut.err == ""
    assert PAGE_HEADING.findall(cut.out) == ALL_PAGES
    end_page, _, _ = cut.out.partition("── initial prompt")
    assert FROM_THE_GRADER in end_page
    assert FROM_THE_SYSTEM_PROMPT not in cut.out
    assert len(cut.out.splitlines()) < len(full.out.splitlines()) / 2


def test_full_prints_the_whole_trial_uncut(
    recorded: tuple[Path, CommandResult],
) -> None:
    """It is meant for other programs, so lines are not wrapped, and there are no colours."""
    full = replay_into_pipe(recorded, "--full")

    assert full.code == SUCCESS
    assert full.err == ""
    assert PAGE_HEADING.findall(full.out) == ALL_PAGES
    assert FROM_THE_SYSTEM_PROMPT in full.out
    script_line = (
        'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
    )
    assert f"\n  {script_line}\n" in full.out
    result_of_a_call = "\n    number: 7\n"
    assert result_of_a_call in full.out
    line_lengths = [len(line) for line in full.out.splitlines()]
    assert max(line_lengths) > 100  # Lines are not wrapped.
    assert FROM_THE_GRADER in full.out
    escape_character = "\x1b"  # It begins each change of colour.
    assert escape_character not in full.out


@pytest.mark.parametrize(
    ("options", "printed_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "2"),
            "sent back OUTCOME_OK",
            id="a step of a trial",
        ),
        pytest.param(
            ("--trial", "seat-005", "--step", "0"),
            "system prompt",
            id="the prompt, which is step 0",
        ),
        pytest.param((), "seat-025", id="the list of all trials"),
        pytest.param(
            ("--verify",),
            "25 trials, 75 steps: everything is as recorded",
            id="a verification",
        ),
    ],
)
def test_each_option_prints_its_part(
    options: tuple[str, ...], printed_part: str, recorded: tuple[Path, CommandResult]
) -> None:
    folder, _ = recorded
    result = run_in_process("replay", "first", *options, cwd=folder)

    assert result.code == SUCCESS
    assert printed_part in result.out + result.err


@pytest.mark.parametrize(
    ("options", "message_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "9"),
            "has no step 9; it has steps 1 to 3",
            id="no such step",
        ),
        pytest.param(
            ("--trial", "seat-0"), "fits several trials", id="an ambiguous trial"
        ),
        pytest.param(("--trial", "nobody"), "no trial 'nobody'", id="no such trial"),
        pytest.param(
            ("--step", "2"), "--step needs --trial", id="a step without a trial"
        ),
    ],
)
def test_a_trial_or_step_that_does_not_exist_is_a_usage_error(
    options: tuple[str, ...], message_part: str, recorded: tuple[Path, CommandResult]
) -> None:
    """The run "first" has the trials seat-001 to seat-025, of three steps each."""
    folder, _ = recorded
    result = run_in_process("replay", "first", *options, cwd=folder)

    assert result.code == UsageError.exit_code
    assert message_part in result.out + result.err


def test_trials_steps_and_prompts_are_available_as_json(
    recorded: tuple[Path, CommandResult],
) -> None:
    """The prompt is step 0, the steps of the model count from 1."""
    trial = replay_into_pipe(recorded, "--json").json
    step = replay_into_pipe(recorded, "--step", "2", "--json").json
    initial_prompt = replay_into_pipe(recorded, "--step", "0", "--json").json

    assert trial["task_id"] == "seat-005"
    assert trial["score"] == 0.0
    assert len(trial["steps"]) == 3
    assert step == trial["steps"][1]
    assert initial_prompt["type"] == "conversation_opened"


def test_a_trial_that_was_cut_off_in_a_step_shows_what_was_recorded(
    recorded: tuple[Path, CommandResult], tmp_path: Path
) -> None:
    """The journal is cut right before the event that ends the first step of a trial."""
    folder, _ = recorded
    (journal,) = (folder / "runs").glob("*.jsonl")
    kept_lines = []
    for line in journal.read_bytes().splitlines(keepends=True):
        event = json.loads(line)
        if event["type"] == "step":
            trial_id = event["trial_id"]
            break
        kept_lines.append(line)
    cut_journal = tmp_path / "cut.jsonl"
    cut_journal.write_bytes(b"".join(kept_lines))

    result = run_in_process("replay", cut_journal, "--trial", trial_id, cwd=tmp_path)

    assert result.code == SUCCESS
    assert "harness.count()" in result.out
    assert "the journal breaks off here" in result.out


RUN_WITH_TWO_ANSWERS = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--quiet",
)
"""A trial whose model first submits the wrong answer "In a week it is 24-11-2027.", which cites
a file that it has not read, and then the right answer "24-11-2027"."""


@pytest.fixture(scope="module")
def runs_of_two_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the journals of two runs with the same replies.

    gated.jsonl: gate 4 (citations were read) rejected the first answer; the second has score 1.
    free.jsonl: without gates the first answer was sent, and has score 0.
    """
    folder = tmp_path_factory.mktemp("judged")
    runs = folder / "runs"
    run_in_process(*RUN_WITH_TWO_ANSWERS, cwd=folder)
    (gated_journal,) = runs.glob("2*.jsonl")
    gated_journal.rename(runs / "gated.jsonl")

    no_gates = ("--gates", "none", "--rule-sets", "none")
    run_in_process(*RUN_WITH_TWO_ANSWERS, *no_gates, cwd=folder)
    (free_journal,) = runs.glob("2*.jsonl")
    free_journal.rename(runs / "free.jsonl")
    return runs


SHOP_RULE_SET = "controlplane.benchmarks.shop.rule_set:RULE_SET"


@pytest.mark.parametrize(
    ("journal", "options", "expected_effects"),
    [
        pytest.param(
            "free.jsonl",
            (),
            [("stopped", 0.0)],
            id="all gates stop the answer of the run without gates",
        ),
        pytest.param(
            "free.jsonl",
            ("--gates", "none"),
            [("as before", 0.0)],
            id="no gates, as in the run",
        ),
        pytest.param(
            "gated.jsonl",
            ("--rule-sets", STRICT_RULE_SET),
            [("other verdicts", None), ("stopped", 1.0)],
            id="a rule against both answers",
        ),
        pytest.param(
            "gated.jsonl",
            ("--gates", "none", "--rule-sets", STRICT_RULE_SET),
            [("other verdicts", None), ("stopped", 1.0)],
            id="a rule against both answers, without gates",
        ),
        pytest.param(
            "gated.jsonl",
            ("--gates", "2", "--rule-sets", SHOP_RULE_SET),
            [("let through", None), ("as before", 1.0)],
            id="without the gate that rejected the first answer",
        ),
    ],
)
def test_judge_reports_the_effect_of_other_gates_on_each_answer(
    journal: str,
    options: tuple[str, ...],
    expected_effects: list[tuple[str, float | None]],
    runs_of_two_answers: Path,
    run_command_here: CommandRunner,
) -> None:
    """Each answer has its effect and its score, None if it was rejected and never scored.

    `STRICT_RULE_SET` has one rule, no-2027, which rejects every answer with a date in 2027.
    """
    path = runs_of_two_answers / journal
    judged = run_command_here("judge", str(path), "--json", *options)

    effects = []
    for submission in judged.json["submissions"]:
        effects.append((submission["effect"], submission["score"]))
    assert effects == expected_effects


def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The three answers are from two runs of the same replies: one with gates, which sent the first
    answer back, and one without. The rule no-2027 objects to all of them."""
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET
    )

    summary = "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
    assert summary in judged.out
    rows = [line.split() for line in judged.out.splitlines()]
    # Answers that it stops: 1 right, 1 wrong, none unscored; none that it no longer rejects.
    assert ["strict/no-2027", "1", "1", "0", "0"] in rows


def test_judge_sums_up_a_folder_as_json(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The rule would have stopped one right answer and one wrong one."""
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET, "--json"
    )

    (rule,) = [
        gate for gate in judged.json["gates"] if gate["name"] == "strict/no-2027"
    ]
    assert rule["stops_right"] == 1
    assert rule["stops_wrong"] == 1


def test_judge_names_a_damaged_journal_of_a_folder_and_judges_the_others(
    runs_of_two_answers: Path, tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """A changed line no longer fits the hash that the next line has of it."""
    folder = tmp_path / "mixed"
    shutil.copytree(runs_of_two_answers, folder)
    damaged_journal = folder / "free.jsonl"
    lines = damaged_journal.read_bytes()
    damaged_journal.write_bytes(lines.replace(b"In a week", b"In a wxxk"))

    judged_folder = run_command_here("judge", str(folder))
    judged_journal = run_command_here("judge", str(damaged_journal))

    assert judged_folder.code == JournalDamaged.exit_code
    assert "left out: " in judged_folder.err
    assert "2 as before" in judged_folder.out
    assert judged_journal.code == JournalDamaged.exit_code


@pytest.fixture(scope="module")
def shop_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with two tasks of the shop: a refund, which changes
    files, and the look-up of a date, which does not."""
    folder = tmp_path_factory.mktemp("shop")
    run = run_controlplane(
        *("run", "refund-approval.1", "calendar-date.1", "--model", "baseline"),
        *("--set", "wordings=known", "--json"),
        cwd=folder,
    )
    return folder / run.json["journal"]


def test_the_same_grader_gives_the_same_scores(
    shop_journal: Path, run_command_here: CommandRunner
) -> None:
    """The recorded calls are made again, so that the grader sees the changed files."""
    recorded_calls = []
    for trial in open_journal(shop_journal).trials.values():
        for step in trial.record.step_summaries:
            recorded_calls += step.calls
    assert recorded_calls, "the refund made no call, so this test shows nothing"

    printed = run_command_here("judge", "--grader", str(shop_journal))
    judged = run_command_here("judge", "--grader", str(shop_journal), "--json")

    assert "2 trials graded again, 0 changed" in printed.out
    assert len(judged.json["trials"]) == 2
    for trial in judged.json["trials"]:
        assert trial["after"] == trial["before"]
        assert trial["problem"] == ""


def test_another_grader_gives_other_scores_to_the_same_answers(
    shop_journal: Path,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The shop's grader is replaced by one that gives the first answer the score 0.25."""
    graded_answers = 0

    def stricter_grade(truth: object, environment: object) -> Grade:
        nonlocal graded_answers
        graded_answers += 1
        if graded_answers == 1:
            return Grade(0.25, ("too short",))
        return grade(truth, environment)

    monkeypatch.setattr(ecom_benchmark, "grade", stricter_grade)
    journal_before = shop_journal.read_bytes()
    judged = run_command_here("judge", "--grader", str(shop_journal))

    assert "1 changed" in judged.out
    assert "too short" in judged.out
    assert re.search(r"mean score \d\.\d+ before, \d\.\d+ after", judged.out)
    assert shop_journal.read_bytes() == journal_before


SAMPLE_JOURNAL = ROOT / "runs/sample.jsonl"
"""A journal in the repository: one trial of three steps, calendar-date.1."""


def test_a_benchmark_that_cannot_rebuild_its_trials_cannot_be_graded_again(
    recorded: tuple[Path, CommandResult], run_command_here: CommandRunner
) -> None:
    """The benchmark of the run "first" cannot make a world as it was at the end of a trial."""
    folder, _ = recorded
    (journal,) = (folder / "runs").glob("*.jsonl")
    refused = run_command_here("judge", "--grader", str(journal))

    check_error_line(refused, UsageError.exit_code, "cannot rebuild the end state")


def test_a_run_in_another_version_of_the_worlds_cannot_be_graded_again(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`--trust` says that the journal, which has been changed, is to be taken as one's own."""
    journal = changed_copy(
        SAMPLE_JOURNAL, tmp_path, unchanged, versions={"world": "another"}
    )
    refused = run_command_here("judge", "--grader", str(journal), "--trust")

    check_error_line(refused, UsageError.exit_code, "cannot be graded again")


def test_the_sample_journal_replays_exactly(tmp_path: Path) -> None:
    """The journal is in the repository: a change of what scripts or gates do shows here."""
    result = run_in_process("replay", SAMPLE_JOURNAL, "--verify", cwd=tmp_path)

    assert result.code == SUCCESS, result.err
    assert "3 steps: everything is as recorded" in result.out


Change = Callable[[JournalEvent], JournalEvent]
"""Takes an event of a journal, and returns the event to write instead."""


def unchanged(event: JournalEvent) -> JournalEvent:
    return event


def changed_copy(
    source: Path, folder: Path, change: Change, *, versions: dict[str, str]
) -> Path:
    """Write a journal with the changed events of another, as a forger would: its hashes fit.

    `versions={"python": "3.99.1"}` replaces that version in its first event, which has the
    versions of all parts that the run was recorded with.
    """
    copy = folder / "changed.jsonl"
    with JournalWriter(copy, create=True) as journal:
        for event in read_events(source):
            if isinstance(event, RunOpened):
                new_versions = event.versions.model_copy(update=versions)
                event = event.model_copy(update={"versions": new_versions})
            journal.write(change(event))
    return copy


def set_fields(event_type: str, **fields: object) -> Change:
    """Return a change that gives all events of a type these fields."""

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        return event.model_copy(update=fields)

    return change


def replace_in_field(event_type: str, field: str, old: str, new: str) -> Change:
    """Return a change that replaces a text in a field of all events of a type."""

    def change(event: JournalEvent) -> JournalEvent:
        if event.type != event_type:
            return event
        text = getattr(event, field)
        return event.model_copy(update={field: text.replace(old, new)})

    return change


SCRIPT_WITH_FAILING_VERIFY = """
[[reply]]
state = "a verify that raises, and a call that does"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: [sp["nothing"] for _ in "a"])
'''
[[reply]]
state = "mended"
code = '''
print(sp := dict(scratchpad))
harness.answer(scratchpad, lambda sp: sp["answer"] == "7")
'''
"""
"""Step 1 submits the answer "7" with a check of its own, `verify`, that raises a KeyError, so the
answer is rejected. Step 2 prints the scratchpad, and submits the answer with a check that passes."""


@pytest.fixture(scope="module")
def journal_with_error(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run of one trial that plays `SCRIPT_WITH_FAILING_VERIFY`."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "script.toml").write_text(SCRIPT_WITH_FAILING_VERIFY, encoding="utf-8")
    benchmark = ("--benchmark", "tests.support.many_trials:1")
    run = run_in_process(
        "run", *benchmark, "--model", "scripted:script.toml", cwd=folder
    )
    assert run.code == SUCCESS
    (journal,) = (folder / "runs").glob("*.jsonl")
    return journal


def change_error_text_of_verdict(event: JournalEvent) -> JournalEvent:
    """Change what a gate said of the `verify` that raised."""
    if not isinstance(event, SubmissionJudged):
        return event
    text = event.model_dump_json().replace(
        "`verify` did not answer", "`verify` did not reply"
    )
    return SubmissionJudged.model_validate_json(text)


def change_answer(event: JournalEvent) -> JournalEvent:
    """Change the answer "7" to "8", where it was submitted and where it was sent."""
    if isinstance(event, AnswerSent):
        return event.model_copy(update={"message": "8"})
    if isinstance(event, SubmissionJudged):
        judged = event.judged.model_copy(update={"answer": "8"})
        return event.model_copy(update={"judged": judged})
    return event


change_error_text_of_step = replace_in_field(
    "step", "error", old="KeyError", new="LookupError"
)
change_output = replace_in_field("step", "output", old="7", new="8")


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(
            change_error_text_of_step,
            "step 1, error: recorded",
            id="error text of a step",
        ),
        pytest.param(
            change_error_text_of_verdict,
            "step 1, verdicts: recorded",
            id="error text of a verdict",
        ),
        pytest.param(change_output, "step 2, output: recorded", id="output"),
    ],
)
def test_under_the_same_python_every_difference_is_an_error(
    change: Change, message_part: str, journal_with_error: Path, tmp_path: Path
) -> None:
    """The recorded text is changed, so that running the scripts again gives another one."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions={})
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" not in result.out + result.err


OTHER_PYTHON = {"python": "3.99.1"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change_error_text_of_step, id="error text of a step"),
        pytest.param(change_error_text_of_verdict, id="error text of a verdict"),
    ],
)
def test_under_another_python_error_texts_may_differ(
    change: Change, journal_with_error: Path, tmp_path: Path
) -> None:
    """Each minor version of Python changes the texts of some errors."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions=OTHER_PYTHON)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == SUCCESS, result.out + result.err
    message = "not compared: error texts (recorded under Python 3.99.1)"
    assert message in result.out + result.err


@pytest.mark.parametrize(
    ("change", "message_part"),
    [
        pytest.param(change_answer, "step 1, verdicts: recorded", id="answer"),
        pytest.param(
            change_output,
            "it was recorded under Python 3.99.1, and what this one",
            id="output",
        ),
    ],
)
def test_under_another_python_other_differences_are_errors(
    change: Change, message_part: str, journal_with_error: Path, tmp_path: Path
) -> None:
    """The message names the other Python, which may be the cause."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions=OTHER_PYTHON)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out + result.err
    assert message_part in result.out + result.err
    assert "recorded under Python" in result.out + result.err


@pytest.mark.parametrize("part", ["gates", "evidence", "sandbox"])
@pytest.mark.parametrize(
    ("change", "differing_steps"),
    [
        pytest.param(change_answer, 2, id="both steps submit the answer"),
        pytest.param(change_output, 1, id="one step prints it"),
    ],
)
def test_under_another_version_of_a_part_differences_are_reported_and_no_error(
    change: Change,
    differing_steps: int,
    part: str,
    journal_with_error: Path,
    tmp_path: Path,
) -> None:
    """Another version of the gates, for example, may judge differently. `--strict` objects."""
    journal = changed_copy(
        journal_with_error, tmp_path, change, versions={part: "another"}
    )
    verify = ("replay", journal, "--verify")
    result = run_in_process(*verify, "--json", cwd=tmp_path)
    strict_result = run_in_process(*verify, "--strict", cwd=tmp_path)

    assert result.code == SUCCESS, result.err
    assert strict_result.code == ReplayDiverged.exit_code
    assert not result.json["agrees"]
    assert result.json["other_versions"] == [part]
    differences = result.json["differences"]
    assert len(differences) == differing_steps
    for difference in differences:
        assert ", step " in difference
        assert ": recorded " in difference


def test_the_other_version_of_a_part_is_named(
    journal_with_error: Path, tmp_path: Path
) -> None:
    """The journal says that it was recorded with another version of the gates."""
    journal = changed_copy(
        journal_with_error, tmp_path, change_answer, versions={"gates": "another"}
    )
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert "under another version of gates" in result.out


@pytest.mark.parametrize(
    ("change", "message_part", "versions"),
    [
        pytest.param(
            set_fields("answer_sent", message="8"),
            "step 2, message: recorded '8', and its other lines imply '7'",
            {},
            id="another answer than the one submitted",
        ),
        pytest.param(
            set_fields("answer_sent", outcome="OUTCOME_DENIED_SECURITY"),
            "step 2, outcome: recorded",
            {"gates": "another"},
            id="another outcome",
        ),
        pytest.param(
            set_fields("answer_sent", refs=("/other",)),
            "step 2, refs: recorded",
            {},
            id="another cited file",
        ),
        pytest.param(
            set_fields("answer_sent", fallback=True),
            "end: recorded 'answered', and its other lines imply 'fallback'",
            {"gates": "another"},
            id="the answer is called a fallback, the end is not",
        ),
        pytest.param(
            set_fields("answer_sent", failed=("4",)),
            "step 2, failed: recorded",
            {},
            id="a gate that did not fail",
        ),
        pytest.param(
            set_fields("trial_ended", how="fallback"),
            "end: recorded 'fallback', and its other lines imply 'answered'",
            {"gates": "another"},
            id="the end is called a fallback, the answer is not",
        ),
        pytest.param(
            set_fields("trial_ended", how="unanswered"),
            "end: recorded 'unanswered'",
            {},
            id="unanswered, despite the answer",
        ),
    ],
)
def test_lines_that_contradict_each_other_are_errors_under_any_version(
    change: Change,
    message_part: str,
    versions: dict[str, str],
    journal_with_error: Path,
    tmp_path: Path,
) -> None:
    """Which answer was sent follows from the verdicts in the journal, whatever gates say now."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions=versions)
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.err
    assert message_part in result.err


@pytest.fixture(scope="module")
def verification(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, list[str]]]:
    """What `replay --verify --json` prints for the sample journal.

    "compared" has the fields that a replay computes and compares, by type of event, as in
    `{"step": ["output", ...]}`; "only_marked" has those that only the line's signature protects.
    """
    folder = tmp_path_factory.mktemp("verified")
    result = run_in_process("replay", SAMPLE_JOURNAL, "--verify", "--json", cwd=folder)
    verification: dict[str, dict[str, list[str]]] = result.json
    return verification


def test_a_verification_lists_the_fields_that_it_compares(
    verification: dict[str, dict[str, list[str]]],
) -> None:
    """The user can see what a verification proves, and what only a signature protects."""
    expected = {}
    for event_type, names in compared_fields().items():
        expected[event_type] = list(names)
    assert verification["compared"] == expected
    assert "first_message" in verification["only_marked"]["conversation_opened"]


IDENTIFYING_FIELDS = {"type", "at_ms", "trial_id", "step", "number"}
"""Fields that say which event it is; they are neither compared nor listed."""


@pytest.mark.parametrize("event_class", event_classes(), ids=type_of)
def test_a_verification_accounts_for_every_field_of_an_event(
    event_class: type[JournalEvent],
    verification: dict[str, dict[str, list[str]]],
) -> None:
    """A field is compared or only marked, unless it says which event this is."""
    event_type = type_of(event_class)
    compared = verification["compared"].get(event_type, [])
    only_marked = verification["only_marked"].get(event_type, [])

    fields = event_class.model_fields.keys() - IDENTIFYING_FIELDS
    assert sorted([*compared, *only_marked]) == sorted(fields)


def test_no_field_that_varies_from_run_to_run_is_compared() -> None:
    """Times and ids differ in every run, so a replay can't compute them."""
    compared = set()
    for names in compared_fields().values():
        compared.update(names)

    assert not compared & varying_fields()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(set_fields("call", arguments={"forged": 1}), id="call.arguments"),
        pytest.param(set_fields("step", calls=()), id="step.calls"),
    ],
)
def test_a_forged_field_that_is_compared_is_a_difference(
    change: Change, journal_with_error: Path, tmp_path: Path
) -> None:
    """The compared fields that no other test forges."""
    journal = changed_copy(journal_with_error, tmp_path, change, versions={})
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == ReplayDiverged.exit_code, result.out
