"""The options `--heavy` and `--tier` of pytest, and the tests that they choose.

`pytest --tier 2` runs the tests with the mark `second_tier`, and `pytest --heavy` also those with
the mark `heavy`.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--heavy",
        action="store_true",
        help="run heavy forms whole: soaks, many seeds, kill storms",
    )
    parser.addoption(
        "--tier",
        choices=("1", "2", "all"),
        default="1",
        help="1: quick tests; 2: attacks, clusters, ...",
    )


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Choose the tests to run. pytest calls this with all tests that it has found."""
    if not config.getoption("--heavy"):
        skip_heavy_tests(items)

    tier = config.getoption("--tier")
    files_are_named = config.args_source is pytest.Config.ArgsSource.ARGS
    if tier != "all" and not files_are_named:
        leave_out_other_tier(tier, items, config)


def skip_heavy_tests(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="heavy; run with --heavy"))


def leave_out_other_tier(
    tier: str, items: list[pytest.Item], config: pytest.Config
) -> None:
    """Remove the tests from `items` that are not of this tier, "1" or "2"."""
    chosen_items: list[pytest.Item] = []
    other_items: list[pytest.Item] = []
    for item in items:
        tier_of_item = "2" if item.get_closest_marker("second_tier") else "1"
        if tier_of_item == tier:
            chosen_items.append(item)
        else:
            other_items.append(item)
    config.hook.pytest_deselected(items=other_items)  # pytest counts them.
    items[:] = chosen_items
