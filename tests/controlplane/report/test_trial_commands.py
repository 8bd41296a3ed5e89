"""Commands that a report offers beside failed trials, for the user to copy into a shell.

rerun     plays the failed trials again
fork      plays the first of them again from its last step on
judge     checks all answers again, by the checks of the installed version
improve   edits the prompt or the hints until a model plays better
"""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from pydantic import JsonValue

from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.report.run_facts import run_facts
from controlplane.report.run_report import run_report
from controlplane.report.trial_commands import commands_about
from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import CommandResult, run_controlplane, run_program
from tests.support.endpoints import completion_json, http_response, model_server

WRONG_ANSWER_SCRIPT = """
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "It cannot be said.", "OUTCOME_OK", {}
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""


def journal_of_wrong_answers(folder: Path, model_url: str) -> Path:
    """Play one task with the model at this address, and return the journal of the run."""
    run = run_controlplane(
        "run",
        "sku-lookup.1",
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


def commands_in_report(journal: Path) -> list[str]:
    """Return the different commands on the buttons of a report that copy one, in its order:
    those beside the first failure, `[rerun, fork, judge, improve, ...]`, come first."""
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


class TestCommandsInAReport:
    """The commands beside the first failure of a report work as they are copied.

    1. A run plays a task with a model that answers every task wrong.
    2. The report of the run has buttons that copy a command: rerun, fork, judge, improve.
    3. Each command is run in a shell, with the same model.
    """

    def test_each_command_beside_a_failure_works_in_a_shell(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
            rerun, fork, judge, improve, *_ = commands_in_report(journal)

            assert " rerun " in rerun
            rerun_result = run_in_shell(rerun, tmp_path)
            assert rerun_result.code == 0, rerun_result.err

            assert " fork " in fork
            fork_result = run_in_shell(fork, tmp_path)
            assert fork_result.code == 0, fork_result.err

            assert " judge " in judge
            judge_result = run_in_shell(judge, tmp_path)
            assert judge_result.code == 0, judge_result.err

            assert " improve " in improve
            # A loop with its default numbers of worlds and proposals takes minutes.
            short_loop = "--train 1 --check 101 --final 201 --proposals 1 --batch 1"
            improve_result = run_in_shell(f"{improve} {short_loop}", tmp_path)
            nothing_is_better = 1
            assert improve_result.code == nothing_is_better, improve_result.err

        # The run, its rerun and its fork each have a journal, the loop has a folder.
        assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
        assert len(list(tmp_path.glob("runs/*improve*"))) == 1


def commands_about_failure(folder: Path, settings: dict[str, JsonValue]) -> list[str]:
    """Return the commands that a report offers about a run with these settings, whose one trial,
    of the task alpha.1, has failed: `[rerun, fork, judge, improve]`.

    `commands_about_failure(tmp_path, {"model": "gpt-x"})`: the run was called with `--model gpt-x`.
    """
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


class TestOptionsOfCommands:
    """The commands have the options of the run, whose trial of alpha.1 has failed.

    The run was called with `--benchmark folder:tasks --model gpt-x --set "a=b c"`, or with the
    name of another player.
    """

    def test_a_failure_comes_with_the_command_to_fork_its_trial(
        self, tmp_path: Path
    ) -> None:
        """A fork plays the failed trial again from a step on."""
        _rerun, fork, _judge, _improve = commands_about_failure(
            tmp_path, SETTINGS_WITH_A_MODEL
        )

        assert " fork " in fork
        assert "--trial alpha.1-r0 --step 1" in fork

    def test_a_failure_of_a_model_comes_with_the_command_to_improve_it(
        self, tmp_path: Path
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
        self, model: str, tmp_path: Path
    ) -> None:
        """A program of the benchmark ("baseline") or recorded replies ("recorded") play
        instead, which no prompt improves."""
        commands = commands_about_failure(tmp_path, {"model": model})

        _rerun, fork, _judge = commands
        assert " fork " in fork
        assert "--trial alpha.1-r0 --step 1" in fork
        for command in commands:
            assert " improve " not in command
