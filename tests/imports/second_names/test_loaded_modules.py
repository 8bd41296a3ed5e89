"""No process of the product has a module under two names, such as `agent.loop` and `controlplane.agent.loop`.

The clone has a folder `agent`, so a process that runs in it could import `agent.loop`, too. The
module would be loaded twice. A class of the one is not the class of the other, so that an object
would fail `isinstance`, and an `except` would not catch an error.
"""

from controlplane.agent.trial_gates import judging_modules
from controlplane.sandbox import ForkServer, Sandbox, Worker, WorkerLimits
from tests.imports.second_names.recorded_imports import (
    includes_product,
    modules_with_a_second_name,
)
from tests.sandbox.local_parent import NOW, TOOL_SCHEMA, RecordingHost


def test_the_main_process_of_a_run_has_no_module_under_two_names(
    modules_of_run: list[str],
) -> None:
    assert includes_product(modules_of_run)
    assert modules_with_a_second_name(modules_of_run) == []


def test_forked_processes_have_no_module_under_two_names() -> None:
    """A fork server forks workers, which judge answers, and sandboxes, which run scripts."""
    # A module whose functions return the names of the modules in their process.
    loaded_modules = "tests.support.loaded_modules"
    server = ForkServer(
        worker_modules=(*judging_modules(("ecom",)), loaded_modules),
        function_modules=("controlplane.benchmarks.ecom", loaded_modules),
    )
    with server:
        with Worker(server, limits=WorkerLimits()) as worker:
            modules_in_worker = worker.call(f"{loaded_modules}:names")
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
        ) as sandbox:
            result = sandbox.compute(f"{loaded_modules}:function", {})
            modules_in_sandbox = result["value"]

    assert includes_product(modules_in_worker)
    assert modules_with_a_second_name(modules_in_worker) == []
    assert isinstance(modules_in_sandbox, list)
    assert includes_product(modules_in_sandbox)
    assert modules_with_a_second_name(modules_in_sandbox) == []
