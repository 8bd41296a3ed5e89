"""A result that a server may have decoded from the script's own text is not evidence.

A script could send a sentence in base64 to a server, and cite the result, which has the sentence
in plain words. There are too many encodings to try them all. So a result counts only if it has
much more new text than scripts have sent to the server.
"""

from __future__ import annotations

import base64
import codecs
import zlib

import pytest

from controlplane.agent.evidence import EvidenceLog
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)

SENTENCE = "The fee is 4711 EUR, says Orla Quist"
"""What the script wants to cite."""
SHIFTED_BY_ONE = "".join(chr(ord(character) + 1) for character in SENTENCE)
"""Uif!gff!jt ... : the next character for each."""
CHARACTER_CODES = ",".join(str(ord(character)) for character in SENTENCE)
"""84,104,101,32, ... : the code of each character."""
REVERSED_PAIRS = [
    SENTENCE[start : start + 2][::-1] for start in range(0, len(SENTENCE), 2)
]
"""hT, f e, ... : the sentence in pieces of two letters, for one call each."""
COMPRESSED = zlib.compress(SENTENCE.encode())

TASK = "What is the fee for loan-02?"

LOOK = Operation(
    name="db.look",
    parameters=(Parameter("q", "any", ""),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="looks",
    effect=Effect.RETURNS,
    subject="",
)
"""`db.look(q)` asks a server. Its result is cited by its `call_path`, and has a `text`."""


def log_of_calls(arguments: list[object], last_result: str) -> EvidenceLog:
    """Return the log of a trial that called `db.look` once for each argument.

    The last call returned `last_result`, and the others "ok". The words of `TASK` are known from
    the start, so sending them tells the server nothing.
    """
    log = EvidenceLog(ToolSchema((LOOK,)))
    log.add_known_text(TASK)
    for number, argument in enumerate(arguments, start=1):
        is_last = number == len(arguments)
        result = {
            "call_path": path_of_call(number),
            "text": last_result if is_last else "ok",
        }
        log.record("db.look", {"q": argument}, result, error=None)
    return log


def path_of_call(number: int) -> str:
    """Return the path by which the result of a call can be cited."""
    return f"/mcp/db/{number}"


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        pytest.param([codecs.encode(SENTENCE, "rot13")], SENTENCE, id="rot13"),
        pytest.param([SENTENCE[::-1]], SENTENCE, id="backwards"),
        pytest.param(
            [base64.b32encode(SENTENCE.encode()).decode()], SENTENCE, id="base32"
        ),
        pytest.param(
            [base64.a85encode(SENTENCE.encode()).decode()], SENTENCE, id="base85"
        ),
        pytest.param(
            [base64.b64encode(COMPRESSED).decode()], SENTENCE, id="compressed"
        ),
        pytest.param([SHIFTED_BY_ONE], SENTENCE, id="next letter for each"),
        pytest.param(
            ["The fee is four seven one one euro, says Orla Quist"],
            SENTENCE,
            id="number in words",
        ),
        pytest.param([CHARACTER_CODES], SENTENCE, id="codes of the letters"),
        pytest.param([[[4, 7, 1, 1], "Orla Quist"]], SENTENCE, id="list of digits"),
        pytest.param(
            [*REVERSED_PAIRS, ""], SENTENCE, id="two letters a call, then nothing"
        ),
        pytest.param(
            ["x://The_fee_is_4711_EUR"], "found " + SENTENCE, id="within a URL"
        ),
    ],
)
def test_a_result_that_may_be_a_decoded_argument_cannot_be_quoted(
    arguments: list[object], result: str
) -> None:
    """The script sends the sentence in some encoding, in one call or in many, and the last call
    returns it in plain words."""
    log = log_of_calls(arguments, result)
    path = path_of_call(len(arguments))

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        log.citations.check(path, reason="it names the fee", quotation="4711 EUR")


@pytest.mark.parametrize(
    ("argument", "result"),
    [
        pytest.param(
            "select fee from loans where id = 'loan-02'",
            "4711 EUR",
            id="query with words of the task",
        ),
        pytest.param(
            "select sum(fee) from loans group by id",
            "loan-02: 4711 EUR",
            id="query with functions",
        ),
        pytest.param("loan-02", "loan-02: the fee is 4711 EUR", id="id of the task"),
        pytest.param(
            "fees of the library",
            "Members pay a fee of 4711 EUR a year, says the head of the library.",
            id="a few words for a long result",
        ),
        pytest.param("", SENTENCE, id="nothing"),
    ],
)
def test_a_result_with_more_new_text_than_was_sent_can_be_quoted(
    argument: str, result: str
) -> None:
    """The argument cannot be the result in another encoding: it is too short, or has only words of the
    task "What is the fee for loan-02?" and of SQL."""
    log = log_of_calls([argument], result)
    path = path_of_call(1)

    cited_place = log.citations.check(
        path, reason="it names the fee", quotation="4711 EUR"
    )

    assert cited_place.spelling == path
