"""Messages of recorded right answers, given in our own worlds: our grader should accept them.

A message was written in a world of the public benchmark, and names its records: "basket-0021 is
not at PowerTools Graz Lend". For a task of ours of the same kind, it is retold with the task's own
names: "basket-0412 is not at Veerhaven Noord". Then our grader judges it.

    for recorded in right_messages(): faults_in_our_worlds(recorded, with_statements=False)
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded.public_tasks import OUR_VARIANTS, listed_number
from tests.benchmarks.ecom.recorded.recorded_answers import number_of, read_rows
from tests.benchmarks.ecom.recorded.task_outlines import PUBLIC_NAMES
from tests.benchmarks.ecom.variants import generate_variant

FREELY_WORDED: Final = frozenset(
    {9, 10, 12, 13, 17, 18, 19, 40, 79, *range(82, 89), 92, *range(95, 101)}
)
"""The numbers in `OUR_VARIANTS` of public tasks whose right messages may be worded freely."""
SIGNS_OF_A_BLOCK: Final = ("<", "[[", "Quoted", "BEGIN", "---", "# ", "上", "模型")
"""Texts that only requests with a block contain: a text that poses as an instruction."""


class RightMessage(NamedTuple):
    """The message of a recorded answer that passed."""

    variant_id: str
    """Our variant of the task with the same outcome."""
    request: str
    message: str


def right_messages() -> Iterator[RightMessage]:
    """Yield the freely worded messages of recorded right answers, each once per task."""
    yielded = set()
    for row in read_rows():
        number = listed_number(number_of(row))
        if row["score"] != 1 or number not in FREELY_WORDED:
            continue
        # With a block, the right answer is about the block, and not about the request.
        if any(sign in row["task_text"] for sign in SIGNS_OF_A_BLOCK):
            continue
        variant_id = variants_by_outcome(number).get(row["outcome"])
        if variant_id is None:
            continue
        if (number, row["message"]) not in yielded:
            yielded.add((number, row["message"]))
            yield RightMessage(variant_id, row["task_text"], row["message"])


@cache
def variants_by_outcome(listed_number: int) -> Mapping[str, str]:
    """Return our first variant of a public task for each outcome.

    `{OK: "staff-count: one branch"}`
    """
    variants: dict[str, str] = {}
    for variant_id in OUR_VARIANTS[listed_number]:
        task = generate_variant(variant_id, "outcome", PUBLIC_NAMES)
        variants.setdefault(task.truth.outcome, variant_id)
    return variants
