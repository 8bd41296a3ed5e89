"""A reply that would keep a naive parser busy is refused with bounded work.

`action_of` looks in a model's reply for an *action*, a JSON object with the code to run. A reply of
100,000 open braces must not take minutes. `executed_lines` counts the lines of Python that are
executed, which does not depend on how fast the machine is.
"""

import pytest

from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Unusable
from tests.support.executed_work import executed_lines


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{" * 100_000, id="open braces"),
        pytest.param('"' * 100_000, id="double quotes"),
        pytest.param("'" * 100_000, id="single quotes"),
        pytest.param("{'" * 50_000, id="braces and single quotes"),
        pytest.param('{"' * 50_000, id="braces and double quotes"),
        pytest.param('{"""' + '\\"""' * 25_000, id="escaped triple quotes"),
        pytest.param("{'a':" * 20_000, id="deep objects"),
        pytest.param('{"a":[' * 20_000, id="deep objects and lists"),
        pytest.param("{'a':" + "[" * 100_000, id="deep lists"),
        pytest.param("{'a': " + "-" * 99_000 + "1}", id="many minus signs"),
        pytest.param("{" + " " * 100_000, id="blanks after a brace"),
        pytest.param("{a" + " " * 100_000, id="blanks after a bare key"),
        pytest.param(("{" + " " * 999) * 100, id="blanks after many braces"),
        pytest.param("{'code'" + " " * 100_000, id="blanks after the key of the code"),
        pytest.param("{'\\" * 33_000, id="open escapes"),
        pytest.param(
            "{'a': " * 49 + "[" + "1," * 45_000 + "*]" + "}" * 49,
            id="long list with an error at its end",
        ),
        pytest.param("{'a'} " * 16_000, id="many sets"),
        pytest.param("{'code" * 16_000, id="many open keys"),
        pytest.param("{'a': 'b{' " * 9_000, id="many broken objects"),
        pytest.param('{"a' + "\\" * 100_000, id="backslashes"),
        pytest.param('{"a": 1e' * 12_000, id="broken numbers"),
        pytest.param("<code>\n" * 60_000, id="many code tags"),
        pytest.param("<parameter" * 40_000, id="many open tags"),
        pytest.param("<function=execute_script>" * 15_000, id="many open calls"),
    ],
)
def test_hostile_reply_is_refused_with_bounded_work(text: str) -> None:
    """Each text has some 100,000 characters, and none has an action. A parser that goes back
    again and again would execute billions of lines."""
    results = []

    work = executed_lines(lambda: results.append(action_of(text)))

    assert isinstance(results[0], Unusable)
    assert work < 2_000_000
