r"""Each mark has an example, in which it is found, and a counterexample, in which no mark is found.

A block is a text in a request that poses as an instruction of the system. It begins at a mark:

    Mark(example="Thanks.[[any text]]", counterexample="Thanks, any text",
         text_before=r"\.", pattern=r"\[\[.*\]\]")

`text_before` fits the full stop, which is still the user's text, and `pattern` the mark itself.
There is a list of marks for each way to pose as the system, such as roles: `<system>`.
"""

import pytest
import re2

from controlplane.benchmarks.shop.requests.posed_instructions import (
    AUTHORITY_MARKS,
    DEMANDS,
    FORGERIES,
    ROLE_MARKS,
    WRAPPERS,
    Mark,
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
    mark_after_text = f"(?m)(?:{mark.text_before})({mark.pattern})"
    match = re2.search(mark_after_text, mark.example)
    assert match is not None
    # the start of what is in the brackets: `({mark.pattern})`
    start_of_mark = match.start(1)

    assert text_before_block(mark.example) == mark.example[:start_of_mark]
    assert not has_block(mark.counterexample)
