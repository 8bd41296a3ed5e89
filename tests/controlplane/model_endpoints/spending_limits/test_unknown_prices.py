"""Without `--prices`, nobody knows the cost of a run, which then cannot be limited.

The endpoint tells the tokens of a reply, and not what they cost. An unknown cost is null in the JSON,
and not 0.
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.command import check_error_line, no_run_has_started
from tests.support.phonebook_model import respond_with_usage


def test_the_cost_of_a_model_without_known_prices_is_null(tmp_path: Path) -> None:
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        run = endpoint.command(*PHONEBOOK_RUN, "--json")

    assert run.code == 0
    assert run.json["cost_usd"] is None
    assert run.json["cost_per_trial_usd"] is None
    assert run.json["trials"][0]["cost_usd"] is None


def test_the_cost_of_a_model_without_known_prices_cannot_be_limited(
    tmp_path: Path,
) -> None:
    """The run is refused before it begins."""
    with phonebook_endpoint(tmp_path, respond_with_usage) as endpoint:
        refused = endpoint.command(*PHONEBOOK_RUN, "--run-cost", "5")

    check_error_line(
        refused,
        UsageError.exit_code,
        "--run-cost: the price of m is unknown, so the limit cannot be kept; give the model's",
    )
    assert endpoint.server.asked == []
    assert no_run_has_started(tmp_path)
