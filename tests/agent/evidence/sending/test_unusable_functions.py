"""A function of a benchmark that never ends, or that cannot be loaded, ends in a telling error.

A script calls `harness.tools.books_by(author)`. This function is code of the benchmark, which runs in
the sandbox of the script.
"""

import pytest

from controlplane.sandbox import ForkServer, Limits, SandboxBroken
from controlplane.sandbox.interface import CallError
from tests.agent.evidence.sending.library_trial import LibraryTrial


def test_a_function_that_never_ends_fails_its_step_and_the_next_one_works(
    library_server: ForkServer,
) -> None:
    """`books_by("forever")` loops, until the step has used its processor time."""
    limits = Limits(step_wall_s=5, step_cpu_s=0.3)
    trial = LibraryTrial(library_server, limits)

    with trial.sandbox:
        stopped_step = trial.session.step()
        with (
            stopped_step,
            pytest.raises(CallError, match="the step used more than"),
        ):
            # This is what the script's call would do. Here, its error can be caught.
            trial.session.call("books_by", {"author": "forever"})

        next_step = trial.session.step()
        with next_step:
            script = "print(harness.tools.books_by('Herbert').value)"
            next_result = trial.sandbox.run(script)

    assert next_result.output == "['/books/dune.txt']\n"


def test_a_module_that_the_sandbox_cannot_import_is_named_in_the_error() -> None:
    """This module, as an example of many, imports libraries that the reduced Python of the
    sandbox cannot load. So no script can start."""
    unusable_module = "tests.support.books.solver_attempts"
    with (
        ForkServer((), (unusable_module,)) as server,
        pytest.raises(SandboxBroken) as broken,
    ):
        LibraryTrial(server).run("print(1)")

    assert str(broken.value).startswith(
        f"the functions of {unusable_module} cannot be loaded beside"
    )
