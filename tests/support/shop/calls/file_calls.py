"""The calls for single files: a receipt that was uploaded, and a long file to read whole.

A test makes each call in a generated shop, of which the truth is known, and compares:

    TrueCall("settle_receipt", {"path": "/uploads/receipt.txt", "tolerance_cents": 500}, is_right=...)
    # right if the function's value has "within": True, and the right answer is yes

`task.truth.must_cite` begins with the receipt's path.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.support.shop.calls.true_calls import TrueCall, same


def receipt_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that compares a receipt with today's prices and stocks.

    The request asks whether the price has changed by less than a limit, or whether all of it can
    be bought today. `settle_receipt` returns `{"within": true, "can_be_bought": false, ...}`. Its
    `path` is empty if the request asks about the last receipt without naming it.
    """
    inputs = task.truth.for_tests
    receipt_path = task.truth.must_cite[0]
    is_named = receipt_path in task.instruction
    right_answer_is_yes = task.truth.message == inputs["yes"]
    if "limit" in inputs:
        field = "within"
        tolerance_cents = int(inputs["limit"])
    else:
        field = "can_be_bought"
        tolerance_cents = 0

    def is_right(value: dict[str, bool]) -> bool:
        return value[field] is right_answer_is_yes

    yield TrueCall(
        function="settle_receipt",
        arguments={
            "path": receipt_path if is_named else "",
            "tolerance_cents": tolerance_cents,
        },
        is_right=is_right,
        refs=list(task.truth.must_cite),
    )


def file_marker_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that reads a file whole, since a marker is hidden in it.

    The file is called, for example, `/tmp/cat-check-4.txt`.
    """
    files = workspace_of(task.world).files
    # An older file may be beside it, such as `/tmp/cat-check-old-4.txt`. The generator makes the
    # right one first.
    paths_as_made = [path for path in files if path.startswith("/tmp/cat-check")]
    path = paths_as_made[0]
    yield TrueCall(
        function="read_all",
        arguments={"path": path},
        is_right=same(files[path]),
        refs=[path],
    )
