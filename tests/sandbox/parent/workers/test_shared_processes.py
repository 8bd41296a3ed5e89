"""A process that one trial has used serves the next trial, since a process starts slowly.

A worker runs single functions on foreign data in an isolated process. A trial, one attempt of an
agent at a task, has one worker. After the trial its process is idle, and the worker of the next trial
takes it over. The ids of processes tell which process ran.
"""

import pytest

from controlplane.sandbox import Worker
from controlplane.sandbox.parent import worker as worker_child
from tests.sandbox.parent.workers.worker_calls import run


def process_of_trial(server, *, prepare=None, is_shared=True):
    """Return the id of the process in which a trial's worker ran, and which is idle now.

    `prepare` is called when the worker gets its process, for example to send it the files of the
    trial. If `is_shared`, the worker may take over the idle process of an earlier trial.
    """
    with Worker(server, is_shared=is_shared) as worker:
        if prepare is not None:
            worker.when_started(prepare)
        return run(worker, "process")


@pytest.fixture(autouse=True)
def calls_may_be_slow(monkeypatch):
    """Let a process serve other trials until its calls have taken 60 s in all.

    The limit is 1 s otherwise, which the calls of these tests could exceed on a busy machine.
    """
    monkeypatch.setattr(worker_child, "_MAX_SHARED_S", 60.0)


def test_the_process_of_a_shared_worker_serves_the_next_trial(server):
    first_process = process_of_trial(server)

    assert process_of_trial(server) == first_process


def test_a_worker_that_is_not_shared_has_its_own_process(server):
    """The idle process of an earlier trial is not used."""
    idle_process = process_of_trial(server)

    assert process_of_trial(server, is_shared=False) != idle_process


def test_a_process_that_was_prepared_for_its_trial_serves_no_other(server):
    """After preparation, a process may have the trial's files in it."""
    first_process = process_of_trial(server)

    # The second trial takes over the idle process, and prepares it.
    assert process_of_trial(server, prepare=lambda: None) == first_process
    # The third trial must not see what the second one has prepared.
    assert process_of_trial(server) != first_process


def test_an_idle_process_that_died_is_not_used(server):
    first_process = process_of_trial(server)

    end_idle_processes(server)

    assert process_of_trial(server) != first_process


def end_idle_processes(server):
    """End the idle processes, and let the server find out by itself: it still lists them."""
    for idle_processes in server._idle_workers.values():
        for idle_process in idle_processes:
            idle_process.end_in_server(idle_process)
