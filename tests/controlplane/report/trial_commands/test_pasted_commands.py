"""The commands beside the first failure of a report work as a user pastes them into a shell.

rerun     plays the failed trials again
fork      plays the first of them again from its last step on
judge     checks all answers again, by the checks of the installed version
improve   edits the prompt or the hints until a model plays better
"""

import json
from pathlib import Path

import pytest

from tests.controlplane.report.trial_commands.pasted_commands import (
    WRONG_ANSWER_SCRIPT,
    commands_in_report,
    journal_of_wrong_answers,
    run_in_shell,
    run_words_of_shell,
)
from tests.support.endpoints import completion_json, http_response, model_server


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
        rerun, fork, judge, improve, *_ = commands_in_report(journal)

        # One command runs as it stands. The others name the same program.
        program = rerun.partition(" rerun ")[0]
        for command in (fork, judge, improve):
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

        assert " improve " in improve
        # A loop with its default numbers of worlds and proposals takes minutes.
        short_loop = "--train 1 --check 101 --final 201 --proposals 1 --batch 1"
        improve_result = run_words_of_shell(f"{improve} {short_loop}", tmp_path)
        nothing_is_better = 1
        assert improve_result.code == nothing_is_better, improve_result.err

    # The run, its rerun and its fork each have a journal, the loop has a folder.
    assert len(list(tmp_path.glob("runs/*.jsonl"))) == 3
    assert len(list(tmp_path.glob("runs/*improve*"))) == 1
