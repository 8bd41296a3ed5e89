"""A result that a server may have decoded from the script's own text is not evidence.

A script could send a sentence in base64 to a server, and cite the result, which has the sentence
in plain words. There are too many encodings to try them all. So a result counts only if it has
much more new text than scripts have sent to the server. Words of the task are not counted, since
the script could not hide anything in them.
"""

from __future__ import annotations

import base64
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

LOOK = Operation(
    name="db.look",
    parameters=(Parameter("q", "any", ""),),
    fields=(ResultField("call_path"), ResultField("text")),
    summary="looks",
    effect=Effect.RETURNS,
    subject="",
)


class LookingTrial:
    """A trial that asks a server by the call `db.look(q)`, and quotes the results.

    Its task is "What is the fee for loan-02?".
    """

    def __init__(self) -> None:
        self._log = EvidenceLog(ToolSchema((LOOK,)))
        self._log.add_given_text("What is the fee for loan-02?")
        self._call_count = 0

    def look(self, q: object, *, result: str) -> str:
        """Call `db.look(q)`, which returns this result. Return the path by which it is cited."""
        self._call_count += 1
        path = f"/mcp/db/{self._call_count}"
        self._log.add_call(
            "db.look", {"q": q}, {"call_path": path, "text": result}, error=None
        )
        return path

    def quote(self, path: str, quotation: str) -> None:
        """Cite a result with a quotation of it. Raises `ValueError` if this is refused."""
        place = self._log.citations.check(path, "it names the fee", quotation)
        assert place.spelling == path


SENTENCE = "The fee is 4711 EUR, says Orla Quist"
"""What a script wants to prove by a result."""


class TestDecodedResults:
    """A result that may have been made of what the script sent cannot be quoted.

    The script wants to prove "The fee is 4711 EUR, says Orla Quist". It sends this sentence in
    another form by `trial.look(argument, result=...)`, and the server returns it in plain words.
    """

    @pytest.mark.parametrize(
        "argument",
        [
            pytest.param("Gur srr vf 4711 RHE, fnlf Beyn Dhvfg", id="rot13"),
            pytest.param(
                "Uif!gff!jt!5822!FVS-!tbzt!Psmb!Rvjtu", id="next letter for each"
            ),
            pytest.param("tsiuQ alrO syas ,RUE 1174 si eef ehT", id="backwards"),
            pytest.param(
                "84,104,101,32,102,101,101,32,105,115,32,52,55,49,49,32,69,85,82,44,32,"
                "115,97,121,115,32,79,114,108,97,32,81,117,105,115,116",
                id="codes of the letters",
            ),
            pytest.param(base64.b32encode(SENTENCE.encode()).decode(), id="base32"),
            pytest.param(base64.a85encode(SENTENCE.encode()).decode(), id="base85"),
            pytest.param(
                base64.b64encode(zlib.compress(SENTENCE.encode())).decode(),
                id="compressed",
            ),
            pytest.param(
                "The fee is four seven one one euro, says Orla Quist",
                id="number in words",
            ),
            pytest.param([[4, 7, 1, 1], "Orla Quist"], id="list of digits"),
        ],
    )
    def test_a_result_that_may_be_a_decoded_argument_cannot_be_quoted(
        self, argument: object
    ) -> None:
        trial = LookingTrial()
        path = trial.look(argument, result="The fee is 4711 EUR, says Orla Quist")

        with pytest.raises(ValueError, match="may come from the call's own arguments"):
            trial.quote(path, "4711 EUR")

    def test_words_of_an_argument_that_is_a_url_cannot_be_quoted(self) -> None:
        trial = LookingTrial()
        path = trial.look(
            "x://The_fee_is_4711_EUR",
            result="found The fee is 4711 EUR, says Orla Quist",
        )

        with pytest.raises(ValueError, match="may come from the call's own arguments"):
            trial.quote(path, "4711 EUR")

    def test_a_sentence_that_was_sent_in_pieces_cannot_be_quoted(self) -> None:
        """The script sends two letters a call, in reverse order: "hT", " e", "ef". The last call
        sends nothing, and the server returns the whole sentence."""
        trial = LookingTrial()
        for start in range(0, len(SENTENCE), 2):
            two_letters = SENTENCE[start : start + 2]
            trial.look(two_letters[::-1], result="ok")
        path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

        with pytest.raises(ValueError, match="may come from the call's own arguments"):
            trial.quote(path, "4711 EUR")


class TestNewResults:
    """A result that the script's words cannot spell is the server's, and can be quoted.

    The task is "What is the fee for loan-02?". Its words, and those of SQL, hide nothing.
    """

    @pytest.mark.parametrize(
        ("query", "result"),
        [
            pytest.param(
                "select fee from loans where id = 'loan-02'", "4711 EUR", id="words"
            ),
            pytest.param(
                "select sum(fee) from loans group by id",
                "loan-02: 4711 EUR",
                id="functions",
            ),
        ],
    )
    def test_a_result_of_a_query_can_be_quoted(self, query: str, result: str) -> None:
        """All words of the query are words of SQL or of the task "What is the fee for loan-02?",
        and so cannot spell the result."""
        trial = LookingTrial()
        path = trial.look(query, result=result)

        trial.quote(path, "4711 EUR")

    def test_a_result_for_an_id_of_the_task_can_be_quoted(self) -> None:
        trial = LookingTrial()
        path = trial.look("loan-02", result="loan-02: the fee is 4711 EUR")

        trial.quote(path, "4711 EUR")

    def test_a_result_that_is_much_longer_than_the_argument_can_be_quoted(self) -> None:
        """Four words are too short to be an encoding of the result."""
        trial = LookingTrial()
        path = trial.look(
            "fees of the library",
            result="Members pay a fee of 4711 EUR a year, says the head of the library.",
        )

        trial.quote(path, "4711 EUR")

    def test_a_result_of_a_call_without_an_argument_can_be_quoted(self) -> None:
        trial = LookingTrial()
        path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

        trial.quote(path, "4711 EUR")
