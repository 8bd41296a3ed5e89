"""The error of a call with a wrong argument begins with the signature of the call.

A script calls `harness.find(7)`, whose signature is `find(name, root="/", kind="all", limit=10)`.
The error is "harness.find(name, root='/', …): name is str, not int 7". The model corrects its call
by it.
"""

import pytest

from controlplane.sandbox.interface.argument_binding import bound_arguments
from tests.sandbox.interface.operations.declared_file_operations import file_operation


@pytest.mark.parametrize(
    ("positional", "named", "error"),
    [
        ((), {}, "needs 'name'"),
        (("a", "b", "c", 1, 2), {}, "takes 4 arguments, 5 were given"),
        (("a",), {"name": "b"}, "got two values for 'name'"),
        (("a",), {"limits": 3}, "has no argument 'limits'"),
        (("a",), {"zzz": 3}, "has no argument 'zzz'"),
        ((7,), {}, "name is str, not int 7"),
        (("a",), {"limit": True}, "limit is int, not bool True"),
        (("a",), {"limit": 1 << 65}, "limit is int, not int of more than 64 bits"),
    ],
)
def test_the_error_of_a_wrong_argument_begins_with_the_signature(
    positional: tuple[object, ...], named: dict[str, object], error: str
) -> None:
    find = file_operation("find")

    with pytest.raises(TypeError) as raised:
        bound_arguments(find, positional, named)

    message = str(raised.value)
    assert message.startswith("harness.find(name, root='/'")
    assert error in message
