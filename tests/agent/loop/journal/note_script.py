r"""The step of a trial whose script works on the file `/note.txt`.

    step = step_on_note(server, 'print(harness.read("/note.txt").content)', note="heron")
    step.output == "heron\n"

A step is a reply of the model, here a script, and what came of it.
"""

from controlplane.agent.events import StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import FileTree, ForkServer
from tests.support.counting_environment import FILES
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.single_trial import solve_trial, step_reply


def step_on_note(server: ForkServer, script: str, *, note: str) -> StepDone:
    """Return the step of a trial whose script works on a file /note.txt with this text."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": note})
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(
        benchmark, "run1-0", [step_reply(script)], server, budget=one_step
    )
    (step,) = solved.steps
    return step
