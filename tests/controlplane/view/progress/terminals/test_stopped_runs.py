"""The user presses Ctrl-C once, while up to three of six trials play, and later resumes the run.

The running steps are finished, and nothing is submitted. The text names what to do: "resume
2031-05-04-... submit 2031-05-04-... --force". Of seat-001 to seat-006, only seat-005 is wrong.
"""

import re
from collections import Counter

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.view.progress.terminals.run_terminals import Terminals
from tests.support.command import run_in_process
from tests.support.terminal import CTRL_C


def test_ctrl_c_leaves_trials_open_and_names_what_to_do(terminals: Terminals) -> None:
    """On a slow machine a trial may have ended before the key is pressed. So the journal tells
    how many trials have started, and how many have ended."""
    with terminals.run("--concurrency", "3", trials=6, call_time_s=0.8) as terminal:
        terminal.wait_for(r"step +1 .* running")
        terminal.press(CTRL_C, "stopping after the running steps")
        assert terminal.finish() == Interrupted.exit_code
        assert terminal.is_as_before
        text = terminal.everything.replace("\n", "")
    count_of = Counter(event["type"] for event in terminals.journal_events())
    started_trials = count_of["trial_started"]
    ended_trials = count_of["trial_ended"]

    # What the user reads: "... resume 2031-05-04-... submit 2031-05-04-... --force". The name
    # of the run begins with the year.
    assert re.search(r"resume 2\S+ .*submit 2\S+ --force", text)
    assert f"{6 - started_trials} not started" in text
    assert "Traceback" not in text

    # What the journal has. Each trial has one step.
    assert count_of["step"] == started_trials
    assert 1 <= count_of["trial_left_open"] <= 3
    assert count_of["trial_left_open"] == started_trials - ended_trials
    assert count_of["score"] == ended_trials
    assert count_of["run_submitted"] == 0

    # The rest of the run.
    resumed = run_in_process("resume", "last", "--json", cwd=terminals.folder)
    verified = run_in_process("replay", "last", "--verify", cwd=terminals.folder)
    assert resumed.code == 0
    assert resumed.json["mean_score"] == pytest.approx(5 / 6)  # seat-005 is wrong
    assert resumed.json["trials_over"] == 6
    assert verified.code == 0
