"""A call of `dispatch_plan` may state how often and how long lanes are delayed.

The function plans how a shop's packages are sent by lanes, the connections between branches. The
table says of a lane only "delays unlikely; short when delayed", for example. In the call,
`{"unlikely": 5, "short": [1, 2]}` says that 5 of 100 trips by it are late, by 1 or 2 units of time.
"""

import pytest

from controlplane.benchmarks.shop.dispatch import DelayLength, Rates
from controlplane.benchmarks.shop.table_functions import rates_in_call
from controlplane.sandbox.functions import CannotRead


def test_a_caller_may_give_rates_by_the_words_of_the_hints() -> None:
    delays = {"unlikely": 5, "likely": 40.5, "short": [1, 2], "long": [5, 7]}

    rates = rates_in_call(late_cents=650, delays=delays)

    assert rates == Rates(
        shares={"unlikely": 0.05, "likely": 0.405},
        lengths={"short": DelayLength(1, 2), "long": DelayLength(5, 7)},
        late_cents=650,
    )


def test_a_caller_need_not_give_rates() -> None:
    """By default the function reads the rates from the page on dispatch."""
    no_rates = Rates()

    assert rates_in_call(late_cents=0, delays={}) == no_rates


@pytest.mark.parametrize(
    "delays",
    [
        pytest.param("often", id="a text"),
        pytest.param({"often": "20"}, id="a text as percentage"),
        pytest.param({"often": 120}, id="more than 100 percent"),
        pytest.param({"short": [1]}, id="one end of a length"),
        pytest.param({"short": ["a", "b"]}, id="texts as length"),
    ],
)
def test_rates_in_another_form_are_refused(delays: object) -> None:
    """The message says that it is "neither trips in 100 nor [shortest, longest]"."""
    with pytest.raises(CannotRead, match="neither trips in 100 nor"):
        rates_in_call(late_cents=0, delays=delays)
