"""The library mends what stands around the code; the code itself is read whole by us, or nothing is mended."""

import pytest

from agent.reply.repair import repaired


@pytest.mark.parametrize(
    "written",
    [
        '{"state": "s" "code": "print(1)"}',
        '{state: "s", "code": "print(1)"}',
        '{"state": s, "code": "print(1)"}',
        '{"state": "s", // so\n "code": "print(1)"}',
        '{"state": "the "best" one", "code": "print(1)"}',
        '{"plan": ["a" "b"], "code": "print(1)", }',
    ],
)
def test_what_stands_around_the_code_is_mended(written: str) -> None:
    mended = repaired(written)
    assert mended is not None
    assert mended["code"] == "print(1)"


@pytest.mark.parametrize(
    "written",
    [
        '{"state": s, "code": "print("hi")"}',
        '{"state": s, "code": "print(",", 1)"}',
        '{"state": s, "code": "print(1)" + "2"}',
        '{"state": s, "code": "print(1"}',
        '{"state": s, "code": \'print(1)\'}',
        '{"state": s, "code": print(1)}',
        '{"state": s, "code": "print(1)", "code": "print(2)"}',
        '{"state": s, "code": "  "}',
        '{"state": s, "code": "print(1)", more words}',
        '{"state": s, "code": "' + "print(1);" * 3000 + '"}',
        '{"state": ' + "[" * 60 + '"code": "print(1)"}',
    ],
)
def test_code_that_would_be_a_guess_is_not_mended(written: str) -> None:
    assert repaired(written) is None
