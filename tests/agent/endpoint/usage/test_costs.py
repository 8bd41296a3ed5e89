"""The cost of a reply is read in dollars, if the vendor reports one.

Vendors put it in different fields: `{"cost": {"total_cost": 0.006}}` -> 0.006. A cost that is
missing or impossible is unknown (None), and not 0.
"""

import pytest

from controlplane.agent.endpoint.response_reading import usage_of

ONE_TOKEN_EACH = {"prompt_tokens": 1, "completion_tokens": 1}


@pytest.mark.parametrize(
    ("cost_fields", "expected_usd"),
    [
        pytest.param({"cost": 0.95}, 0.95, id="OpenRouter"),
        pytest.param(
            {
                "cost": 0.05,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 1},
            },
            0.05 + 1,
            id="OpenRouter's fee and the vendor's bill for the user's own key",
        ),
        pytest.param(
            {"cost": 0.95, "cost_details": {"upstream_inference_cost": 0.9}},
            0.95,
            id="OpenRouter, whose cost already includes the vendor's",
        ),
        pytest.param({"cost": {"total_cost": 0.006}}, 0.006, id="Perplexity"),
        pytest.param({"estimated_cost": 2e-5}, 2e-5, id="DeepInfra"),
        pytest.param({"cost": "0.01"}, 0.01, id="number as a string"),
        pytest.param(
            {"cost_in_usd_ticks": 37_756_000},
            0.0037756,
            id="xAI, in ten-billionths of a dollar",
        ),
    ],
)
def test_cost_is_read_in_dollars_for_every_vendor(
    cost_fields: dict[str, object], expected_usd: float
) -> None:
    report = ONE_TOKEN_EACH | cost_fields

    assert usage_of(report).cost_usd == pytest.approx(expected_usd)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(ONE_TOKEN_EACH, id="not reported"),
        pytest.param(ONE_TOKEN_EACH | {"cost": -1}, id="negative"),
        pytest.param("many", id="a word instead of a report"),
    ],
)
def test_cost_is_unknown_if_the_report_has_no_possible_cost(report: object) -> None:
    assert usage_of(report).cost_usd is None
