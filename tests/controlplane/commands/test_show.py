"""What `run`, `show` and `replay` print about runs, their trials and steps.

A report has the mean score, the worst trials with their reasons, and commands to type next. It
fits a terminal. `--json` has the documented fields. `show --follow` follows a running run to its
end. `replay` prints trials and steps, cut or in full. A run is found by several words, and
commands start without slow imports.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.report.hostile_journal import ReportedTrial, journal_of_trials
from tests.support.command import (
    CommandResult,
    check_error_line,
    run_in_process,
    run_python,
    start_controlplane,
    wait_until,
)
from tests.support.product_files import ROOT
from tests.support.recorded_run import RecordedRun
from tests.support.terminal import Terminal

# Replays the recorded trial seat-005, which has three steps, without a terminal.
#
# For example:
#
#     replay_into_pipe(recorded, "--step", "2").out    ->    "── step 2 of 3 ──── ..."


def replay_into_pipe(recorded: RecordedRun, *options: str) -> CommandResult:
    """Replay the trial seat-005 of the run "first" without a terminal."""
    return recorded.run_command("replay", "first", "--trial", "seat-005", *options)


# The words of a command that plays three trials, whose calls take long.
#
# For example:
#
#     run_of_three_trials(script, call_s=0.4)    ->    ("run", "--benchmark", "tests.support...:3", ...)


def run_of_three_trials(script: Path, *, call_s: float) -> tuple[str, ...]:
    """Return the words of a command that plays three trials, in which each call takes `call_s`
    seconds. A model replies with the steps of `script`."""
    return (
        "run",
        "--benchmark=tests.support.many_trials:3",
        f"--set=seconds={call_s}",
        f"--model=scripted:{script}",
    )


# Waits for a run that another process plays, until it has asked its model a number of times.
#
# with start_controlplane("run", ..., cwd=folder):
#     wait_for_turns(folder, turns=3)


def wait_for_turns(folder: Path, turns: int = 1) -> None:
    """Wait until the run in `folder` has asked its model `turns` times, by its journal."""

    def has_asked() -> bool:
        for journal in (folder / "runs").glob("*.jsonl"):
            if journal.read_bytes().count(b'"type":"model_asked"') >= turns:
                return True
        return False

    wait_until(has_asked)


# `run` asks a platform, the server of a benchmark, while it still imports the client for models.
#
# The platform may be slow to answer, and the client, `openai`, to import. So one waits for neither.


def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
    tmp_path: Path,
) -> None:
    """The benchmark is a server, the platform, which may be slow to answer. So it is asked at once.

    The client for models, `openai`, is replaced by a module that takes a minute to import. The
    platform gets its first request before that minute is over.
    """
    (tmp_path / "openai.py").write_text("import time\ntime.sleep(60)\n")

    with socket.create_server(("127.0.0.1", 0)) as platform:
        _, port = platform.getsockname()
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{port}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        run = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "controlplane",
                "run",
                "--benchmark=bitgn:x",
                "--rule-sets=none",
                "--model=m",
                "--quiet",
            ],
            cwd=tmp_path,
            env=os.environ | variables,
        )
        try:
            platform.settimeout(30)  # less than the import takes
            connection, _ = platform.accept()
            with connection:
                first_request = connection.recv(4096)
        finally:
            run.kill()
            run.wait()

    assert b"/GetBenchmark" in first_request


# `run` does not import slow libraries, such as clients for models, unless it needs them.
#
# When the run starts, its benchmark prints which of four libraries are imported by then: "imported:
# openai rich" for two, and "imported:" for none.

BENCHMARK_THAT_PRINTS_IMPORTS = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark

SLOW_LIBRARIES = {
    "openai",  # a client for models
    "httpx2",  # a client for HTTP
    "rich",  # tables in terminals
    "RestrictedPython",
}


class ImportPrinter(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(*unused):
    return ImportPrinter()
"""


def test_a_run_without_a_model_starts_without_importing_slow_libraries(
    tmp_path: Path,
) -> None:
    """The run is a process of its own, because the tests' own process has imported the libraries."""
    (tmp_path / "printer.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)

    run = run_python(
        "-m",
        "controlplane",
        "run",
        "calendar-date.1",
        "--benchmark=printer",
        cwd=tmp_path,
    )

    assert run.code == 0, run.err
    assert run.out.startswith("imported:\n")


# Options of `replay` choose a trial, a step of that trial, or JSON.
#
#     replay first --trial seat-005 --step 2 --json
#
# The run "first" has the trials seat-001 to seat-025. In each, the model takes three steps, counted from 1.
# Step 0 is the prompt with which a trial begins.


@pytest.mark.parametrize(
    ("options", "printed_part"),
    [
        pytest.param(
            ("--trial", "seat-005", "--step", "2"),
            "sent back OUTCOME_OK",  # what became of the answer OUTCOME_OK in this step
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
    options: tuple[str, ...], printed_part: str, recorded: RecordedRun
) -> None:
    result = recorded.run_command("replay", "first", *options)

    assert result.code == 0
    assert printed_part in result.out + result.err


def test_trials_steps_and_prompts_are_available_as_json(recorded: RecordedRun) -> None:
    replay = ("replay", "first", "--trial", "seat-005", "--json")

    trial = recorded.run_command(*replay).json
    step = recorded.run_command(*replay, "--step", "2").json
    initial_prompt = recorded.run_command(*replay, "--step", "0").json

    assert trial["task_id"] == "seat-005"
    assert trial["score"] == 0.0
    assert len(trial["steps"]) == 3
    assert step == trial["steps"][1]  # The list begins with step 1.
    assert initial_prompt["type"] == "conversation_opened"


# The object of a step has its calls, citations and submissions in fields of their own, and all other
# events of the step, such as the request to the model, in `events`.


def test_a_step_as_json_has_every_event_of_the_step(recorded: RecordedRun) -> None:
    replay = ("replay", "first", "--trial", "seat-005", "--json")
    step = recorded.run_command(*replay, "--step", "2").json

    in_other_fields = {"step", "call", "citation", "submission_judged"}
    others = []
    for line in recorded.journal.read_bytes().splitlines():
        event = json.loads(line)
        is_of_trial = event.get("trial_id") == step["trial_id"]
        if is_of_trial and event.get("step") == 2:
            if event["type"] not in in_other_fields:
                others.append(event["type"])
    assert [event["type"] for event in step["events"]] == others
    assert {"model_asked", "model_replied", "script_measured"} <= set(others)


# `replay` refuses a trial or step that is not in the journal, and shows one as far as it goes.
#
#     replay first --trial seat-005 --step 9    ->    ... has no step 9; it has steps 1 to 3
#
# The run "first" has the trials seat-001 to seat-025, of three steps each.


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
    options: tuple[str, ...], message_part: str, recorded: RecordedRun
) -> None:
    result = recorded.run_command("replay", "first", *options)

    assert result.code == UsageError.exit_code
    assert message_part in result.out + result.err


def test_a_trial_that_was_cut_off_in_a_step_shows_what_was_recorded(
    recorded: RecordedRun, tmp_path: Path
) -> None:
    """The journal is cut right before the event that ends the first step of a trial."""
    lines = recorded.journal.read_bytes().splitlines(keepends=True)
    events = [json.loads(line) for line in lines]
    end_of_first_step = [event["type"] for event in events].index("step")
    trial_id = events[end_of_first_step]["trial_id"]
    cut_journal = tmp_path / "cut.jsonl"
    cut_journal.write_bytes(b"".join(lines[:end_of_first_step]))

    result = run_in_process("replay", cut_journal, "--trial", trial_id, cwd=tmp_path)

    assert result.code == 0
    assert "harness.count()" in result.out
    assert "the journal breaks off here" in result.out


# Through a pipe, `replay` prints all pages of a recorded trial, which `--full` leaves uncut.
#
# The page of a step has the model's script, what it printed, and what checks of answers said:
#
#     ── the end ───────── ... grader: expected 8 ...
#     ── initial prompt ── ... You solve one task ...
#     ── step 1 of 3 ───── ...

PAGE_HEADING = re.compile(r"^── (initial prompt|step \d|the end)", re.MULTILINE)


ALL_PAGES = ["the end", "initial prompt", "step 1", "step 2", "step 3"]


def test_through_a_pipe_the_end_comes_first(recorded: RecordedRun) -> None:
    """The end has the answer and the score, which a reader wants first."""
    piped = replay_into_pipe(recorded)

    assert piped.code == 0
    assert piped.err == ""
    assert PAGE_HEADING.findall(piped.out) == ALL_PAGES
    first_page, _, _ = piped.out.partition("── initial prompt")
    assert "grader: expected 8" in first_page


def test_through_a_pipe_long_texts_are_cut(recorded: RecordedRun) -> None:
    """The system prompt is the longest text."""
    cut = replay_into_pipe(recorded)
    full = replay_into_pipe(recorded, "--full")

    assert "You solve one task" not in cut.out
    assert len(cut.out.splitlines()) < len(full.out.splitlines()) / 2


def test_full_prints_every_text_of_the_trial(recorded: RecordedRun) -> None:
    full = replay_into_pipe(recorded, "--full")

    assert full.code == 0
    assert full.err == ""
    assert PAGE_HEADING.findall(full.out) == ALL_PAGES
    assert "You solve one task" in full.out
    line_of_a_script = (
        'scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"'
    )
    assert f"\n  {line_of_a_script}\n" in full.out
    result_of_a_call = "\n    number: 7\n"
    assert result_of_a_call in full.out
    assert "grader: expected 8" in full.out


def test_full_prints_long_lines_without_colours(recorded: RecordedRun) -> None:
    """It is meant for other programs. A terminal would wrap lines at 100 columns here."""
    printed = replay_into_pipe(recorded, "--full").out

    line_lengths = [len(line) for line in printed.splitlines()]
    assert max(line_lengths) > 100
    escape_character = "\x1b"  # It begins each change of colour.
    assert escape_character not in printed


# The report of a run says of each trial that its model failed, or wrote the same script again and again.
#
#     seat-001  0.00  ...
#       the model failed: ...; expected 7
#
# The model replies from a file, which has too few replies, or nine times the same wrong one.


def test_each_trial_has_its_reason_below_if_the_model_fails(tmp_path: Path) -> None:
    """The model has a single reply, and fails when it is asked for a second one."""
    replies = """
[[reply]]
state = 'count'
code = 'harness.count()'
"""
    (tmp_path / "short.toml").write_text(replies)

    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:3",
        "--model=scripted:short.toml",
        "--quiet",
        cwd=tmp_path,
        COLUMNS="140",
    )

    table, _, _ = run.out.partition("\nmean score")
    _title, _heading, *rows = table.splitlines()
    trial_rows = rows[0::2]
    reason_rows = rows[1::2]
    assert [row.split()[0] for row in trial_rows] == [
        "seat-001",
        "seat-002",
        "seat-003",
    ]
    for trial_row, reason_row in zip(trial_rows, reason_rows, strict=True):
        assert re.search(r" 0\.00  \w+ +\d  +\d+(\.\d)? m?s$", trial_row)
        assert reason_row.startswith("  the model failed")
        assert reason_row.endswith("expected 7")


def test_a_trial_that_repeats_a_refused_script_ends_early_and_says_why(
    tmp_path: Path,
) -> None:
    """The model has nine replies, all with the same syntax error; the trial ends after five."""
    reply = """
[[reply]]
state = 'look'
code = 'x = ('
"""
    (tmp_path / "stuck.toml").write_text(reply * 9)

    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--model=scripted:stuck.toml",
        "--quiet",
        cwd=tmp_path,
        COLUMNS="",
    )

    assert run.code == 0
    _title, _heading, trial_row, reason_row, *_ = run.out.splitlines()
    _seat, _score, _outcome, steps, *_time = trial_row.split()
    assert steps == "5"
    reason = "  the model wrote the same script 5 times in a row, each time r"
    assert reason_row.startswith(reason)


# `show --follow` reads the journal of a run until the run ends, or its process is gone.
#
# With `--json`, it prints an event a line: `{"type": "run_opened", ...}`. `script` is the file with the
# replies of the model, and `recorded` a finished run of 25 trials, "first".


def test_follow_prints_events_as_json_with_their_texts(recorded: RecordedRun) -> None:
    """The journal writes a long text once and refers to it by a key; here it is in its
    place."""
    followed = recorded.run_command("show", "first", "--follow", "--json")

    events = [json.loads(line) for line in followed.out.splitlines()]
    assert events[0]["type"] == "run_opened"
    assert events[-1]["type"] == "run_closed"
    conversations = [
        event for event in events if event["type"] == "conversation_opened"
    ]
    assert conversations[0]["system"].startswith("You solve one task")


def test_a_running_run_is_followed_to_its_end(script: Path, tmp_path: Path) -> None:
    """Another process plays the run, while `show --follow` reads its journal."""
    command = run_of_three_trials(script, call_s=0.4)
    with start_controlplane(*command, cwd=tmp_path) as process:
        wait_for_turns(tmp_path)
        followed = run_in_process("show", "last", "--follow", cwd=tmp_path)
        process.communicate(timeout=30)

    assert "mean score 1.000 over 3 of 3 trials" in followed.out


def test_a_run_whose_process_was_killed_is_not_waited_for(
    script: Path, tmp_path: Path
) -> None:
    """A killed process cannot write the end of the run to its journal."""
    command = run_of_three_trials(script, call_s=30)
    with start_controlplane(*command, cwd=tmp_path) as process:
        wait_for_turns(tmp_path)
        list_while_running = run_in_process("runs", cwd=tmp_path).out
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    followed = run_in_process("show", "last", "--follow", cwd=tmp_path)
    list_after_kill = run_in_process("runs", cwd=tmp_path).out

    message = "the process of this run is gone; the journal ends here"
    assert followed.err.strip() == message
    assert "running" in list_while_running
    assert "cut off" in list_after_kill


# Every command that takes a run finds it by several words.


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("last", id="the newest run"),
        pytest.param("first", id="its name"),
        pytest.param("2026", id="a beginning of its id"),
    ],
)
def test_a_run_is_found(word: str, tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl", [ReportedTrial("alpha")], name="first"
    )

    shown = run_in_process("show", word, "--json", cwd=tmp_path)

    assert shown.json["run"] == "20260422-0930"
    assert shown.json["name"] == "first"


def test_a_misspelled_run_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl", [ReportedTrial("alpha")], name="first"
    )

    refused = run_in_process("show", "frist", cwd=tmp_path)

    check_error_line(refused, UsageError.exit_code, "did you mean 'first'?")


# `show` prints the 20 worst trials of a large run, so that the report fits a terminal.
#
# The rest is counted: "5 more trials". A family of tasks with similar scores is one line: "0.00  family0
# ×4".


def test_a_report_shows_the_20_worst_trials_and_counts_the_rest(tmp_path: Path) -> None:
    trials = []
    for number in range(1, 26):
        # seat-05, seat-10, seat-15, seat-20 and seat-25 have failed.
        is_right = number % 5 != 0
        trials.append(ReportedTrial(f"seat-{number:02}", score=float(is_right)))
    journal_of_trials(tmp_path / "runs/first.jsonl", trials, name="first")

    shown = run_in_process("show", "first", cwd=tmp_path, COLUMNS="80")

    table, _, rest = shown.out.partition("\n5 more trials\n")
    tasks = re.findall(r"^seat-\d+", table, re.MULTILINE)
    assert len(tasks) == 20
    worst_tasks = tasks[:5]
    assert worst_tasks == ["seat-05", "seat-10", "seat-15", "seat-20", "seat-25"]
    assert rest.startswith("mean score 0.800 over 25 of 25 trials\n")
    assert re.search(r" show first --all$", rest.rstrip())  # the command for the rest


def test_a_terminal_of_24_lines_holds_the_essentials_of_80_trials(
    tmp_path: Path,
) -> None:
    """The user should not have to scroll up to learn why trials failed."""
    trials = []
    for family in range(20):
        # Family 0 has the score 0, family 1 the score 0.05, and so on to 0.95.
        for number in range(4):
            task = f"family{family}.{number}"
            trials.append(ReportedTrial(task, score=family / 20, details=("not it",)))
    journal_of_trials(tmp_path / "runs/many.jsonl", trials, name="many")

    with Terminal("show", "many", cwd=tmp_path, columns=80, rows=24) as terminal:
        assert terminal.finish() == 0
        screen = terminal.text

    assert "many · " in screen  # the title
    assert "family0.0" in screen  # the worst trial
    assert "not it" in screen  # why it failed
    assert "more trials" in screen
    assert "mean score 0.475" in screen
    assert "0.00  family0 ×4" in screen  # the worst family
    assert "next " in screen  # a command to type
    assert " --all" in screen  # the command for the whole table


# A run prints at its end the report that `show` prints later, and few lines while it plays.
#
# In the run `recorded`, a model answers 25 tasks with 7. Every fifth task, such as seat-005, has the
# right answer 8. The report, which lists the wrong trials first, begins and ends so:
#
#     first · tests.support.many_trials:25 · scripted:crowd.toml
#     trial     score  outcome  steps  time
#     seat-005   0.00  OK           3  134 ms
#       expected 8; answered 7
#     ...
#     sent back by gate 6 (wording) ×25
#     journal  runs/20310504-....jsonl
#     next     controlplane replay 20310504-... --trial seat-005
#              controlplane show 20310504-... --all


def test_a_run_prints_at_its_end_the_report_that_show_prints(
    recorded: RecordedRun,
) -> None:
    shown = recorded.run_command("show", "first")

    assert recorded.printed.out == shown.out


def test_a_report_begins_with_the_wrong_trials_and_counts_rejected_answers(
    recorded: RecordedRun,
) -> None:
    """Gate 6, a check of an answer's wording, has rejected the first answer of each trial."""
    shown = recorded.run_command("show", "first", COLUMNS="80")

    title, heading, worst_trial, reason, *_ = shown.out.splitlines()
    assert title.startswith("first · tests.support.many_trials:25 · scripted:crowd")
    assert heading.split() == ["trial", "score", "outcome", "steps", "time"]
    assert re.search(r"^seat-005 +0\.00  OK +3 +\d+(\.\d)? m?s$", worst_trial)
    assert reason == "  expected 8; answered 7"
    assert "\nsent back by gate 6 (wording) ×25\n" in shown.out


def test_only_paths_and_commands_are_longer_than_a_line_of_the_terminal(
    recorded: RecordedRun,
) -> None:
    """A user copies the path and the commands in the last three lines, so that they stay whole."""
    shown = recorded.run_command("show", "first", COLUMNS="80")

    *lines, _journal, _replay, _show = shown.out.splitlines()
    assert max(len(line) for line in lines) <= 80


def test_a_run_prints_few_lines_of_progress(recorded: RecordedRun) -> None:
    """The lines of progress go to standard error, which is no terminal here."""
    first_line, *_, last_line = recorded.printed.err.splitlines()

    assert re.match(r"run 2\S+: 25 trials$", first_line)
    assert re.match(r"25 of 25 trials over after 0:\d\d, mean score 0.800$", last_line)
    # Far less than a line for each of the 25 trials.
    assert len(recorded.printed.err.splitlines()) <= 12


# `show` prints a report about a run that is over: its trials, their mean score, and what is next.
#
# It reads the run's journal, a file in the folder `runs`. The worst trial comes first:
#
#     beta    0.00  OK           3  1.5 s
#       should be 7; answered answer of beta


def test_a_report_has_the_trials_their_mean_score_and_commands_to_type(
    tmp_path: Path,
) -> None:
    journal_of_trials(
        tmp_path / "runs/20260422-0930.jsonl",
        [
            ReportedTrial("alpha", score=1.0),
            # Gate 4, a check of answers, sends two answers back to the model.
            ReportedTrial(
                "beta", score=0.0, details=("should be 7",), rejected_answers=2
            ),
        ],
        name="first",
    )

    shown = run_in_process("show", "first", cwd=tmp_path, COLUMNS="100")

    *report, journal, replay = shown.out.splitlines()
    assert report == [
        "first · shelf · canned  20260422-0930",
        "trial  score  outcome  steps   time",
        "beta    0.00  OK           3  1.5 s",
        "  should be 7; answered answer of beta",
        "alpha   1.00  OK           1  1.5 s",
        "mean score 0.500 over 2 of 2 trials",
        "740 tokens · $0.0400",
        "$0.0200 a trial · $0.0400 a right answer · 29% of request tokens from the provider's cache",
        "sent back by gate 4 (citations were read) ×2",
    ]
    assert journal == "journal  runs/20260422-0930.jsonl"
    assert re.search(r"^next .* replay 20260422-0930 --trial beta$", replay)


# `show` about a run that another process still plays, and about one whose process was killed.
#
# If the process is killed, nothing says so in the journal of the run. `show` finds out, calls the run
# "cut off", and suggests to resume it.


def test_show_suggests_to_follow_a_running_run_and_to_resume_a_killed_one(
    script: Path, tmp_path: Path
) -> None:
    """Start a run whose calls take 30 s, show it, kill it, and show it again."""
    command = run_of_three_trials(script, call_s=30)
    with start_controlplane(*command, cwd=tmp_path) as process:
        wait_for_turns(tmp_path, turns=3)  # All three trials are under way.
        running = run_in_process("show", "last", cwd=tmp_path).out
        process.kill()
        process.communicate(timeout=30)
    killed = run_in_process("show", "last", cwd=tmp_path).out

    assert re.search(r"^next .* show 2\S+ --follow", running, re.MULTILINE)
    assert " resume " not in running
    assert running.count(" running ") == 3
    assert re.search(r"^next .* resume 2", killed, re.MULTILINE)
    assert killed.count(" open ") == 3
    assert killed.count("cut off") == 3


# `show --json` prints an object for other programs, which the reference describes.


def test_the_object_has_the_score_the_end_and_the_rejections(tmp_path: Path) -> None:
    journal_of_trials(
        tmp_path / "runs/first.jsonl",
        [
            ReportedTrial("alpha", score=1.0),
            # Gate 4 sends two answers back.
            ReportedTrial("beta", score=0.0, rejected_answers=2),
        ],
    )

    shown = run_in_process("show", "last", "--json", cwd=tmp_path)

    assert shown.json["score"] == 0.5
    assert shown.json["ended"] == "finished"
    assert shown.json["rejections"] == {"4": 2}


def test_the_object_counts_the_rejections_of_a_rule(recorded: RecordedRun) -> None:
    """In a run that was played, the rule "wording" of gate 6 has sent an answer of each of the 25
    trials back."""
    shown = recorded.run_command("show", "first", "--json")

    assert shown.json["score"] == 0.8
    assert shown.json["ended"] == "finished"
    assert shown.json["rejections"] == {"6/wording": 25}


def test_the_object_has_the_documented_fields_in_their_order(
    recorded: RecordedRun,
) -> None:
    """The reference has a table of the fields of the run, and then one of those of a trial."""
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, rest = reference.partition("### One result object")
    section, _, _ = rest.partition("\n### ")
    documented_fields = []
    for first_cell in re.findall(r"^\| (`.+?`) \|", section, re.MULTILINE):
        documented_fields += re.findall(r"`(\w+)`", first_cell)

    shown = recorded.run_command("show", "first", "--json")

    fields_of_run = list(shown.json)
    fields_of_trial = list(shown.json["trials"][0])
    assert [*fields_of_run, *fields_of_trial] == documented_fields


# Below a failed trial, the report of a run has the reason and the answer, on one line or two.
#
#     trial  score  outcome  steps   time
#     beta    0.00  OK           1  1.5 s
#       The total is that of another customer; answered answer of
#       beta
#
# "answer of beta" is the text of the answer, which the trials of these tests give.


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        pytest.param(
            60,
            ["  The total is that of another customer; answered answer of", "  beta"],
            id="two lines",
        ),
        pytest.param(
            80,
            ["  The total is that of another customer; answered answer of beta"],
            id="one line",
        ),
    ],
)
def test_a_reason_is_wrapped(columns: int, reason: list[str], tmp_path: Path) -> None:
    trial = ReportedTrial(
        "beta", score=0.0, details=("The total is that of another customer",)
    )
    journal_of_trials(tmp_path / "runs/first.jsonl", [trial])

    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS=str(columns))

    table, _, _ = shown.out.partition("\nmean score")
    _title, _heading, _trial, *reason_rows = table.splitlines()
    assert [row.rstrip() for row in reason_rows] == reason


def test_a_reason_of_more_than_two_lines_is_cut_off(tmp_path: Path) -> None:
    trial = ReportedTrial("beta", score=0.0, details=("a long reason " * 12,))
    journal_of_trials(tmp_path / "runs/first.jsonl", [trial])

    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS="45")

    table, _, _ = shown.out.partition("\nmean score")
    _title, _heading, _trial, first_row, second_row = table.splitlines()
    assert first_row.startswith("  a long reason a long reason")
    assert second_row.endswith("…")
    assert max(len(first_row), len(second_row)) <= 45
