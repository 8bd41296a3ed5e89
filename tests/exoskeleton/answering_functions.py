"""The functions of this project that answer recorded cases, each under the name of a part.

A case is what another solver for the shop was recorded to do in one of its parts. The function for the
part takes the `input` of the case by its keys, and what it returns is compared with `expect`:

    {"part": "words", "input": {"text": "3pc"}, "expect": {"words": "3 pc"}, "note": "test: ..."}

    @answers_part("words")
    def normalize_words(text: str) -> Output:
        return {"words": normal_words(text)}
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

Output = dict[str, Any]
"""What this project gives for an input, with the keys of the case's `expect`."""

Function = Callable[..., Output]

ANSWERING_FUNCTIONS: dict[str, Function] = {}
"""The function that answers the cases of a part, by the part's name: `{"words": normalize_words}`."""


def answers_part(part: str) -> Callable[[Function], Function]:
    """Let the decorated function answer the cases of a part."""

    def register(function: Function) -> Function:
        ANSWERING_FUNCTIONS[part] = function
        return function

    return register


def output_of_project(part: str, case_input: Mapping[str, Any]) -> Output:
    """Return what this project gives for the input of a case.

    An input may have more keys than the function has parameters. They are left out.
    """
    function = ANSWERING_FUNCTIONS[part]
    names = inspect.signature(function).parameters
    arguments = {name: value for name, value in case_input.items() if name in names}
    return function(**arguments)
