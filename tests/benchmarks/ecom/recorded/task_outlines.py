"""The outline of a task of ours: what its truth demands, whatever its world is.

    truth of a task    must cite /proc/carts/basket-0012.json, and say "2027-03-04T10:20:30Z"
    its outline        must cite one basket, and say a time

The *truth* says what a right answer is in the task's own *world*, a generated shop. The outline is
for answers that were given in another shop.
"""

from collections import Counter
from collections.abc import Iterable

from controlplane.benchmarks.ecom.tasks.grader import expectation_of
from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.benchmarks.ecom.recorded.demanded_words import demanded_word
from tests.benchmarks.ecom.recorded.record_kinds import NO_RECORDS, kind_of
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


def outline_of(task: Task) -> TruthOutline:
    """Return what remains of a task's truth without its world."""
    truth = task.truth
    required_pages = frozenset(truth.must_cite_pages)
    # Pages and tools that our grader lets pass although it does not require them.
    tolerated_pages = expectation_of(truth).tolerated
    return TruthOutline(
        outcome=truth.outcome,
        is_exact=truth.is_exact,
        words=frozenset(demanded_word(word) for word in truth.required_words),
        required_pages=required_pages,
        allowed_pages=required_pages.union(tolerated_pages),
        required_kinds=Counter(kinds_of(task, truth.must_cite)),
        allowed_kinds=frozenset(kinds_of(task, truth.may_cite)),
    )


def kinds_of(task: Task, paths: Iterable[str]) -> list[str]:
    """Return the kind of each record among some paths; pages and tools are left out.

    `["/proc/carts/basket-1.json", "/docs/returns.md"]` -> `["basket"]`
    """
    kinds = []
    for path in paths:
        is_page_or_tool = path.startswith(NO_RECORDS)  # "/docs/", "/bin/", ...
        if not is_page_or_tool:
            kinds.append(kind_in_our_world(task, path))
    return kinds


def kind_in_our_world(task: Task, path: str) -> str:
    """Return the kind of a record of ours: `/proc/carts/basket-1.json` -> `basket`.

    Unlike for recorded answers, the folder of each kind is known, so a file's name need not show
    it.
    """
    roots = task.world.layout.roots
    kind_by_folder = {
        roots.baskets: "basket",
        roots.payments: "payment",
        roots.returns: "return",
        roots.employees: "employee",
        roots.stores: "store",
        roots.products: "product",
    }
    for folder, kind in kind_by_folder.items():
        if path.startswith(f"{folder}/"):
            return kind
    return kind_of(path)
