"""A task's id has the name of its family and a number from 1 on: `archive-fraud.2`.

A family is a kind of tasks. By its id and a seed, a task is generated again and again.
"""

from collections import Counter

import pytest

from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import (
    generate_task,
    is_task_id,
    task_ids,
)


def test_a_default_run_has_a_hundred_different_tasks() -> None:
    assert len(task_ids()) == 100
    assert len(set(task_ids())) == 100


def test_a_default_run_has_as_many_tasks_of_a_family_as_it_declares() -> None:
    """Some families declare none."""
    counts = Counter(task_id.rpartition(".")[0] for task_id in task_ids())

    for name, family in FAMILIES.items():
        assert counts[name] == family.task_count, name


def test_families_are_listed_by_name() -> None:
    """The order of the families decides that of the tasks in a run."""
    assert list(FAMILIES) == sorted(FAMILIES)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("sku-lookup", id="without a number"),
        pytest.param("sku-lookup.0", id="number 0"),
        pytest.param("sku-lookup.01", id="leading zero"),
        pytest.param("sku-lookup.10000", id="more than four digits"),
        pytest.param("nothing.1", id="unknown family"),
    ],
)
def test_no_task_is_generated_for_a_text_that_is_no_task_id(text: str) -> None:
    assert not is_task_id(text)
    with pytest.raises(KeyError):
        generate_task(text, "0")
