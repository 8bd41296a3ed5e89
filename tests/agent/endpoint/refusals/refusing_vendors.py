"""All vendors of models whose refusals are known, as `VENDORS`, for parametrized tests."""

import pytest

from tests.agent.endpoint.refusals.vendors_without_parameters import (
    OLD_PROXY,
    REASONING_MODEL,
    SCHEMA_WITHOUT_BOUNDS,
    SCHEMA_WITHOUT_BOUNDS_UNQUOTED,
)
from tests.agent.endpoint.refusals.vendors_without_schemas import (
    GATEWAY_WITHOUT_A_PROVIDER,
    JSON_OBJECTS_ONLY,
    LLAMA_CPP_WITHOUT_TEMPLATES,
)

VENDORS = [
    pytest.param(REASONING_MODEL, id="reasoning model"),
    pytest.param(JSON_OBJECTS_ONLY, id="JSON objects only"),
    pytest.param(LLAMA_CPP_WITHOUT_TEMPLATES, id="llama.cpp without templates"),
    pytest.param(GATEWAY_WITHOUT_A_PROVIDER, id="gateway without a provider"),
    pytest.param(SCHEMA_WITHOUT_BOUNDS, id="schema without bounds"),
    pytest.param(SCHEMA_WITHOUT_BOUNDS_UNQUOTED, id="the same without quotes"),
    pytest.param(OLD_PROXY, id="old proxy"),
]
