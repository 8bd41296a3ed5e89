"""Any text can be searched in the pages of `view`.

    /runs/a?find=((((((    ->    a page without matches

The text is not a pattern, so that a bracket is no error, and a star takes no time.
"""

from http import HTTPStatus

import pytest

from tests.controlplane.report.served_pages import RunningView
from tests.controlplane.report.server.hostile_addresses.hostile_numbers import (
    HOSTILE_NUMBERS,
)


@pytest.mark.parametrize("page", ["/", "/runs/a"])
def test_any_text_can_be_searched(view: RunningView, page: str) -> None:
    patterns = ["(" * 2_000, "a*" * 1_000, "%5B"]
    for text in ["", *HOSTILE_NUMBERS, *patterns]:
        answer = view.get(f"{page}?find={text}")
        assert answer.status == HTTPStatus.OK, text
