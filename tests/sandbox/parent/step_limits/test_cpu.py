"""The CPU time of a step is limited, and that of all steps of a trial together.

A step is one script, and a trial has several. `open_sandbox(limits=Limits(step_cpu_s=0.2))` gives
each step 0.2 s of CPU, however long it waits. A script beyond a limit loses its own step, and its
error says which limit it was.
"""

from controlplane.sandbox import Ending, Limits


def test_the_error_of_a_step_without_cpu_left_says_how_to_bound_a_search(open_sandbox):
    """A script that tries many solutions may want to end by itself in time. It cannot watch a clock,
    because the clocks of scripts stand still, but it can count its rounds."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("while True: pass")

    assert result.error == (
        "the step used more than 0.2 s of CPU; "
        "clocks stand still in scripts, so bound a search by its rounds"
    )


def test_the_cpu_of_a_long_computation_in_c_is_limited_as_well(open_sandbox):
    """This `sum` is one call of a function in C. While it runs, Python runs nothing else, such as
    code that looks at the time. So the kernel has to end the process."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("sum(range(10 ** 13))")

    assert result.error.startswith("the step used more than 0.2 s of CPU")


def test_the_cpu_of_all_steps_of_a_trial_is_limited_together(open_sandbox):
    """Each of the six steps may use 0.1 s, and all together 0.25 s. Each runs in a child process
    of its own, because the one before was ended."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.1, trial_cpu_s=0.25))

    results = [sandbox.run("while True: pass") for _ in range(6)]

    for result in results:
        assert result.ending is Ending.LIMIT
    assert results[-1].error == "the trial used more than 0.25 s of CPU"
