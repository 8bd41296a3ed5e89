"""A function of a benchmark that never ends, or cannot be loaded, fails only its own step.

A step is a reply of the model with its script. The script calls `harness.tools.books_by(author)`, which
runs code of the benchmark in the sandbox.
"""

import pytest

from controlplane.sandbox import ForkServer, Limits, SandboxBroken
from controlplane.sandbox.interface import CallError
from tests.agent.evidence.sending.library_trial import LibraryTrial


def test_a_function_that_never_ends_fails_its_step_and_the_next_one_works(
    library_server: ForkServer,
) -> None:
    """For "forever", the function loops. It is stopped when the step has used 0.3 s of
    processor time. The next step has a sandbox that works."""
    limits = Limits(step_wall_s=5, step_cpu_s=0.3)
    trial = LibraryTrial(library_server, limits)

    with trial.sandbox:
        stopped_step = trial.session.step()
        with (
            stopped_step,
            pytest.raises(CallError, match="the step used more than"),
        ):
            trial.session.call("books_by", {"author": "forever"})

        next_step = trial.session.step()
        with next_step:
            script = "print(harness.tools.books_by('Herbert').value)"
            next_result = trial.sandbox.run(script)

    assert next_result.output == "['/books/dune.txt']\n"


def test_a_module_that_the_sandbox_cannot_import_is_named_in_the_error() -> None:
    """The sandbox has a reduced Python, without the C part of `datetime`. The module that is
    named here imports a library that needs it, so its functions cannot run in the sandbox."""
    with (
        ForkServer((), ("tests.support.books.solver_attempts",)) as server,
        pytest.raises(SandboxBroken) as broken,
    ):
        LibraryTrial(server).run("print(1)")

    assert str(broken.value).startswith(
        "the functions of tests.support.books.solver_attempts cannot be loaded beside"
    )
