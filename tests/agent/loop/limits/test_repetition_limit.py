"""How often a model may write the same script before it is warned, and before its trial ends.

The limit counts steps, each with a script. It has a `warning` for the model after a step, and a `reason`
once the trial ends:

    max_same   refusals of the same script, before it runs
    max_runs   runs of the same script with the same output
"""

from controlplane.agent.events import StepDone
from controlplane.agent.loop.loop_limits import RepetitionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Ending


def test_a_script_that_failed_is_warned_at_its_first_repetition() -> None:
    """A failure will not go away by itself, so the warning does not wait for a limit."""
    repetition = RepetitionLimit(max_same=5, max_runs=5)
    failed = StepDone(
        trial_id="t",
        step=1,
        code="count += 1",
        error="NameError: name 'count' is not defined",
        ending=Ending.RAISED,
    )

    repetition.count(TrialStep(1, done=failed))
    assert repetition.warning == ""

    repetition.count(TrialStep(2, done=failed))
    assert "name 'count' is not defined" in repetition.warning


def test_a_script_whose_output_changes_may_run_any_number_of_times() -> None:
    """A script may wait for something. This one runs nine times, but prints the same only twice in
    a row, which is less than `max_runs`."""
    repetition = RepetitionLimit(max_same=3, max_runs=3)

    for output in ["0", "0", "1", "1", "2", "2", "3", "3", "4"]:
        done = StepDone(trial_id="t", step=1, code="print(n)", output=output)
        repetition.count(TrialStep(1, done=done))

        assert repetition.reason == ""
