"""The journal of a run with two tasks of the shop, whose answers are graded again."""

from pathlib import Path

import pytest

from tests.support.command import run_controlplane


@pytest.fixture(scope="session")
def shop_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a run with two tasks of the shop: a refund, which changes
    files, and the look-up of a date, which does not."""
    folder = tmp_path_factory.mktemp("shop")
    run = run_controlplane(
        "run",
        "refund-approval.1",
        "calendar-date.1",
        "--model=baseline",
        "--set=wordings=known",
        "--json",
        cwd=folder,
    )
    return folder / run.json["journal"]
