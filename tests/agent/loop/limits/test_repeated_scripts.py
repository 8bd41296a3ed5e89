"""A model that writes the same script again and again in vain is warned, and then its trial ends.

The third `print(1)` in a row is warned, and the fifth ends the trial. A step is a reply of the model and
the script in it.
"""

from controlplane.sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply


def play_scripts(server: ForkServer, *scripts: str) -> SolvedTrial:
    """Play a trial whose model replies with these scripts, one in each step."""
    replies = [step_reply(script) for script in scripts]
    return solve_trial(Phonebook(0.0), "ada-0", replies, server)


def test_a_script_with_the_same_output_is_warned_and_then_ends_the_trial(
    server: ForkServer,
) -> None:
    """The model has six replies, and the sixth is not used."""
    print_1 = "print(1)"
    trial = play_scripts(server, print_1, print_1, print_1, print_1, print_1, print_1)

    warned_steps: list[int] = []
    for step in trial.steps:
        if "3 times in a row with the same output" in "".join(step.feedback):
            warned_steps.append(step.step)
    assert warned_steps == [3]
    assert len(trial.steps) == 5
    assert (
        "the same script 5 times in a row, each time with the same output"
        in trial.reason
    )


def test_a_trial_ends_when_the_same_script_is_refused_five_times(
    server: ForkServer,
) -> None:
    """No script may import `socket`, so these are refused before they run."""
    refused = "import socket"
    trial = play_scripts(
        server, "print(1)", refused, refused, refused, refused, refused, refused
    )

    assert "same script 5 times" in trial.reason
    assert len(trial.steps) == 6  # print(1), and five refused ones
