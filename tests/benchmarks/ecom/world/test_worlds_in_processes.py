"""The same seed gives the same world in any process.

A world is a generated shop, with its branches, products, baskets, staff and pages. A task is a
request in a world of its own, with the truth from which its answer is graded.
"""

from tests.support.command import run_python

PRINT_DIGEST_OF_TASKS = """
import hashlib
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.generated_tasks import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

digest = hashlib.sha256()
every_fifth_of_60_tasks = task_ids()[:60:5]
for task_id in every_fifth_of_60_tasks:
    task = generate_task(task_id, "digest")
    truth = task.truth
    files = dict(workspace_of(task.world).files)
    parts = (
        task.instruction,
        truth.outcome,
        truth.message,
        truth.must_cite,
        truth.changes,
        sorted(truth.may_cite),
    )
    digest.update(repr((parts, files)).encode())
print(digest.hexdigest())
"""
"""A program that generates tasks of one seed, and prints a hash of all that is in them."""


def test_worlds_do_not_depend_on_the_process_that_generates_them() -> None:
    """The order of sets and the local time differ between the two processes."""
    first = run_python("-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="1", TZ="UTC")
    second = run_python(
        "-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="2", TZ="Asia/Tokyo"
    )

    assert len(first.out.strip()) == 64  # hexadecimal digits of SHA-256
    assert second.out == first.out
