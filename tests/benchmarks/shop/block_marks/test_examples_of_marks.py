"""Each mark of a block has an example, in which it is found, and a counterexample.

A block is a text in a request that poses as an instruction of the system. It begins at a mark. In
"Thanks.[[any text]]", the mark is "[[any text]]", and the full stop in front of it is still the
user's text: a mark has a pattern for this text, such as the end of a sentence, and its own.
"""

import pytest
import re2

from controlplane.benchmarks.shop.requests.block_marks.authority_marks import (
    AUTHORITY_MARKS,
)
from controlplane.benchmarks.shop.requests.block_marks.mark import Mark
from controlplane.benchmarks.shop.requests.block_marks.role_marks import ROLE_MARKS
from controlplane.benchmarks.shop.requests.block_marks.wordings import (
    DEMANDS,
    FORGERIES,
)
from controlplane.benchmarks.shop.requests.block_marks.wrappers import WRAPPERS
from controlplane.benchmarks.shop.requests.posed_instructions import (
    has_block,
    text_before_block,
)


@pytest.mark.parametrize(
    "mark",
    [*ROLE_MARKS, *AUTHORITY_MARKS, *WRAPPERS, *FORGERIES, *DEMANDS],
    ids=lambda mark: mark.example,
)
def test_each_mark_is_found_in_its_example_and_not_in_its_counterexample(
    mark: Mark,
) -> None:
    mark_in_its_place = f"(?m)(?:{mark.text_before})({mark.pattern})"
    match = re2.search(mark_in_its_place, mark.example)
    assert match is not None
    start_of_mark = match.start(1)

    assert text_before_block(mark.example) == mark.example[:start_of_mark]
    assert not has_block(mark.counterexample)
