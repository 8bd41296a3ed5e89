"""Calls for the first message may fail. The message is made from the results of the others.

`Shop(broken_operations=("read",))` is a shop whose calls of `read` all fail, with the error "no such
luck".
"""

import pytest

from controlplane.agent.loop.initial_prompt.system_prompt import failed_searches_notice
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop


@pytest.mark.parametrize(
    "broken_operations",
    [("read",), ("tree",), ("exec",), ("tree", "read", "search")],
)
def test_a_failed_call_shows_its_error_in_the_place_of_its_result(
    broken_operations: tuple[str, ...],
) -> None:
    """The model is told what it does not see, and the rest of the message is there."""
    shop = Shop(broken_operations=broken_operations)

    trial = OpenedTrial("Check out cart-1.", shop)

    assert "no such luck" in trial.message
    assert trial.message.endswith("</instruction>\n")


@pytest.mark.parametrize("broken_operation", ["search", "find"])
def test_the_error_of_a_search_for_files_is_not_shown(broken_operation: str) -> None:
    """The product finds the files that fit the request by `find` and `search`, and then reads them.
    The message shows only what was read."""
    shop = Shop(broken_operations=(broken_operation,))

    trial = OpenedTrial("Check out cart-1.", shop)

    assert "no such luck" not in trial.message
    assert trial.message.endswith("</instruction>\n")


def test_the_user_is_warned_if_every_search_fails() -> None:
    """`search` finds records that are linked to a named one. If it fails, fewer records are shown,
    and nobody would notice."""
    trial = OpenedTrial("Check out cart-1.", Shop(broken_operations=("search",)))

    assert {call.operation for call in trial.calls if call.error} == {"search"}
    assert (
        "refuses every search of the initial prompt (unavailable)"
        in failed_searches_notice(trial.calls)
    )


@pytest.mark.parametrize("broken_operations", [(), ("read",)])
def test_the_user_is_not_warned_if_nothing_fails_or_something_else(
    broken_operations: tuple[str, ...],
) -> None:
    trial = OpenedTrial("Check out cart-1.", Shop(broken_operations=broken_operations))

    failed_operations = {call.operation for call in trial.calls if call.error}
    assert failed_operations == set(broken_operations)
    assert "every search" not in failed_searches_notice(trial.calls)
