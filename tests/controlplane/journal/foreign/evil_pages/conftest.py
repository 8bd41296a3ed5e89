"""A running `controlplane view` over the journals of a stranger, one for each evil text."""

from collections.abc import Iterator

import pytest

from tests.controlplane.journal.foreign.evil_pages.shown_forms import (
    EVIL_AND_VISIBLE,
    write_journal_with,
)
from tests.controlplane.report.listed_runs import RunningView, serving_view


@pytest.fixture(scope="session")
def evil_view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningView]:
    """The view of five journals, each named as its text, such as `controls.jsonl`."""
    folder = tmp_path_factory.mktemp("theirs")
    for name, (evil, _) in EVIL_AND_VISIBLE.items():
        write_journal_with(evil, folder / f"{name}.jsonl")
    with serving_view(folder) as view:
        yield view
