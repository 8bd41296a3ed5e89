"""Options of `replay` choose a trial, a step of that trial, or JSON.

    replay first --trial seat-005 --step 2 --json

The run "first" has the trials seat-001 to seat-025. In each, the model takes three steps, counted from 1.
Step 0 is the prompt with which a trial begins.
"""

import pytest

from tests.support.recorded_run import RecordedRun


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
