import pytest

from controlplane.agent.endpoint.listed_model import listed_model


@pytest.mark.parametrize(
    "entry",
    [
        {"id": "m", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}},
        {"id": "m", "max_model_len": 8192},
        {"id": "m", "context_length": 8192, "top_provider": {}},
        {"id": "m", "context_window": 8192},
    ],
)
def test_the_context_is_read_as_servers_list_it(entry: dict[str, object]) -> None:
    assert listed_model(entry).context_tokens == 8192


@pytest.mark.parametrize("value", [None, 0, -1, "8192", True])
def test_a_context_that_is_no_count_is_unknown(value: object) -> None:
    assert listed_model({"id": "m", "max_model_len": value}).context_tokens is None
