"""Calls of a script that a host answers by an exception, or by something else than plain data.

The host is code of a benchmark, perhaps of another package.
"""

from collections.abc import Callable

import pytest

from controlplane.sandbox.interface import CallError, plain_result


def error_of_broken_host(answer: Callable[[], object]) -> CallError:
    """Return the error that a script gets if the host answers its call `look` by `answer`.

    `error_of_broken_host(lambda: b"x").message` -> "look broke: …"
    """
    with pytest.raises(CallError) as raised:
        plain_result("look", answer)
    return raised.value
