"""What a run in containers does once, when its first trial begins.

A trial, one try of a task, is played in a container of its own. The first one lists the containers that
exist already, and tells the user of notices such as "the network is off".
"""

import pytest

from controlplane.benchmark import BenchmarkContext
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.harbor.harbor_benchmark import RunBeginning


class ContainersListedAtSecondTry:
    """The containers on a machine where podman fails once, as it does while it starts."""

    def __init__(self) -> None:
        self.tries = 0

    def find_earlier(self) -> None:
        self.tries += 1
        if self.tries == 1:
            msg = "podman did not answer"
            raise ContainerError(msg)


def test_a_trial_lists_the_containers_that_the_first_one_could_not_list() -> None:
    """Without the list, a resumed trial would get a new container instead of its own.

    The user is told each notice once.
    """
    told: list[str] = []
    context = BenchmarkContext(notify=told.append)
    containers = ContainersListedAtSecondTry()
    beginning = RunBeginning(iter(["the network is off"]), containers)

    with pytest.raises(ContainerError):
        beginning.begin_once(context)  # the first trial
    beginning.begin_once(context)  # the second one
    beginning.begin_once(context)  # the third one, which has nothing left to do

    assert containers.tries == 2
    assert told == ["the network is off"]
