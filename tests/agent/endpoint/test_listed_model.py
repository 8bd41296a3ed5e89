"""Reading a model's context size from the list of models that an endpoint publishes.

Each server names that number differently: vLLM lists `{"id": "m", "max_model_len": 8192}`,
and llama.cpp lists `{"id": "m", "meta": {"n_ctx": 8192}}`.
"""

import pytest

from controlplane.agent.endpoint.settings import listed_model


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(
            {"id": "m", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}}, id="llama.cpp"
        ),
        pytest.param({"id": "m", "max_model_len": 8192}, id="vLLM"),
        pytest.param(
            {"id": "m", "context_length": 8192, "top_provider": {}}, id="OpenRouter"
        ),
        pytest.param({"id": "m", "context_window": 8192}, id="Groq"),
    ],
)
def test_context_size_is_read_from_the_field_of_each_server(
    entry: dict[str, object],
) -> None:
    assert listed_model(entry).context_tokens == 8192


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="null"),
        pytest.param(0, id="zero"),
        pytest.param(-1, id="negative"),
        pytest.param("8192", id="string"),
        pytest.param(True, id="boolean"),
    ],
)
def test_context_size_that_is_not_a_positive_integer_is_unknown(value: object) -> None:
    entry = {"id": "m", "max_model_len": value}

    assert listed_model(entry).context_tokens is None
