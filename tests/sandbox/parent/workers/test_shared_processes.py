"""An idle process serves the worker of the next trial, since it starts slowly.

A worker runs single functions on foreign data in an isolated process. A trial, one attempt of an
agent at a task, has one worker, whose process is idle after it. The ids of processes tell which one
ran.
"""

import pytest

from controlplane.sandbox import Worker
from controlplane.sandbox.parent import worker_child
from tests.sandbox.parent.workers.worker_calls import run


def process_of_trial(server, *, prepare=None, is_shared=True):
    """Return the id of the process in which a trial's worker ran, and which is idle now.

    `prepare` is called when the worker gets its process, for example to send it the files of the
    trial. If `is_shared`, the worker may get the idle process of an earlier trial.
    """
    with Worker(server, is_shared=is_shared) as worker:
        if prepare is not None:
            worker.when_started(prepare)
        return run(worker, "process")


@pytest.fixture(autouse=True)
def calls_may_be_slow(monkeypatch):
    """Share a process however long its calls took: on a busy machine, a start takes long."""
    monkeypatch.setattr(worker_child, "_MAX_SHARED_S", 60.0)


def test_the_process_of_a_shared_worker_serves_the_next_trial(server):
    first_process = process_of_trial(server)

    assert process_of_trial(server) == first_process


def test_a_worker_that_is_not_shared_has_its_own_process(server):
    """An idle process of an earlier trial is there, and is not used."""
    shared_process = process_of_trial(server)

    assert process_of_trial(server, is_shared=False) != shared_process


def test_a_process_that_was_prepared_for_its_trial_serves_no_other(server):
    """The process has the trial's files in it then. It may have been an idle one before."""
    first_process = process_of_trial(server)

    prepared_process = process_of_trial(server, prepare=lambda: None)
    next_process = process_of_trial(server)

    assert prepared_process == first_process
    assert next_process != prepared_process


def test_an_idle_process_that_died_is_not_used(server):
    """All idle processes are ended between two trials."""
    first_process = process_of_trial(server)

    for idle_process in server._idle_workers.all_children():
        idle_process.server.end(idle_process)

    assert process_of_trial(server) != first_process
