"""Tokens and cost in the forms of vendors."""

import pytest

from agent.endpoint.protocols import usage_of

FORMS = {
    "OpenAI": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 40},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        (100, 50, 40, 30),
        None,
    ),
    "xAI counts thinking beside the completion": (
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 450,
            "completion_tokens_details": {"reasoning_tokens": 300},
            "cost_in_usd_ticks": 37_756_000,
        },
        (100, 350, 0, 300),
        0.0037756,
    ),
    "thinking that only the total names": (
        {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 450},
        (100, 350, 0, 0),
        None,
    ),
    "thinking beside, without a total": (
        {"prompt_tokens": 100, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 300}},
        (100, 350, 0, 300),
        None,
    ),
    "Anthropic counts cached tokens beside": (
        {"input_tokens": 3, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 20, "output_tokens": 50},
        (523, 50, 500, 0),
        None,
    ),
    "a gateway to Anthropic counts them within": (
        {"prompt_tokens": 523, "completion_tokens": 50, "total_tokens": 573, "cache_read_input_tokens": 500},
        (523, 50, 500, 0),
        None,
    ),
    "a gateway whose total has them beside": (
        {"prompt_tokens": 600, "completion_tokens": 50, "total_tokens": 1150, "cache_read_input_tokens": 500},
        (1100, 50, 500, 0),
        None,
    ),
    "more cached than asked": (
        {"prompt_tokens": 100, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 2000}},
        (2100, 50, 2000, 0),
        None,
    ),
    "DeepSeek": (
        {"prompt_tokens": 100, "completion_tokens": 50, "prompt_cache_hit_tokens": 40, "prompt_cache_miss_tokens": 60},
        (100, 50, 40, 0),
        None,
    ),
    "texts and floats": ({"prompt_tokens": 100.0, "completion_tokens": "50", "cost": "0.01"}, (100, 50, 0, 0), 0.01),
    "OpenRouter": ({"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.95}, (1, 1, 0, 0), 0.95),
    "OpenRouter with the user's own key": (
        {
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "cost": 0.05,
            "is_byok": True,
            "cost_details": {"upstream_inference_cost": 1},
        },
        (1, 1, 0, 0),
        1.05,
    ),
    "OpenRouter, whose own part is the whole bill": (
        {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.95, "cost_details": {"upstream_inference_cost": 0.9}},
        (1, 1, 0, 0),
        0.95,
    ),
    "Perplexity": ({"prompt_tokens": 1, "completion_tokens": 1, "cost": {"total_cost": 0.006}}, (1, 1, 0, 0), 0.006),
    "DeepInfra": ({"prompt_tokens": 1, "completion_tokens": 1, "estimated_cost": 2e-5}, (1, 1, 0, 0), 2e-5),
    "nothing": ("many", (0, 0, 0, 0), None),
    "absurd": ({"prompt_tokens": -5, "completion_tokens": 1e30, "cost": -1, "total_tokens": "x"}, (0, 0, 0, 0), None),
}


@pytest.mark.parametrize("form", FORMS)
def test_tokens_and_cost_are_the_same_in_every_form(form: str) -> None:
    given, tokens, cost_usd = FORMS[form]
    usage, found = usage_of(given)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.reasoning_tokens) == tokens
    assert found == (None if cost_usd is None else pytest.approx(cost_usd))
