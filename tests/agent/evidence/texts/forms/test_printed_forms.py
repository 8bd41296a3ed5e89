"""A program that prints an argument in another form proves nothing by it.

A script could hand `K X 4 4 7 1` or base64 to a program, which prints the code `KX-4471`. The code is the
script's own, so the result cannot be cited for it.
"""

import pytest

from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("vault KX-4471", id="as it is"),
        pytest.param("dmF1bHQgS1gtNDQ3MQ==", id="base64"),
        pytest.param("7661756c74204b582d34343731", id="hexadecimal"),
        pytest.param("K X 4 4 7 1", id="single letters"),
    ],
)
@pytest.mark.parametrize(
    "printed",
    [
        pytest.param("The code is KX-4471.", id="in capitals"),
        pytest.param("the code: kx-4471", id="in small letters"),
    ],
)
def test_a_tool_that_prints_an_argument_in_another_form_proves_nothing(
    argument: str, printed: str
) -> None:
    """The script passes the code KX-4471 in some form, and the tool prints it in plain
    characters. Only "code" is the tool's own word."""
    calls = CallsOfTrial()

    calls.run("/bin/query", argument, stdout=printed)

    access = calls.access_to("/bin/query")
    assert access.holds("code")
    assert not access.holds("kx-4471")
