"""A function cannot be a tool if its arguments cannot be named, or if it is async.

For example:

    def many(*words): ...    ->    ValueError "the tool many takes *words: str ..."
"""

import pytest

from controlplane import Tool
from tests.controlplane.tool_benchmark.declared_tools import declared


def test_a_function_with_any_number_of_arguments_is_refused() -> None:
    def many(*words: str) -> None: ...

    with pytest.raises(ValueError, match=r"the tool many takes \*words: str"):
        declared(Tool(many, "returns"))


def test_an_async_function_is_refused() -> None:
    async def later() -> None: ...

    with pytest.raises(ValueError, match="the tool later is async"):
        declared(Tool(later, "returns"))
