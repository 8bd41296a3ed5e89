"""A result that a server may have decoded from the script's own text is not evidence.

A script could send a sentence in base64 to a server, and cite the result, which has the sentence in
plain words. There are too many encodings to try them all. So a result counts only if it has much more
new text than scripts have sent to the server.
"""

import base64
import zlib

import pytest

from tests.agent.evidence.texts.own.looking_trial import LookingTrial

SENTENCE = "The fee is 4711 EUR, says Orla Quist"
"""What a script wants to prove by a result."""


@pytest.mark.parametrize(
    "argument",
    [
        pytest.param("Gur srr vf 4711 RHE, fnlf Beyn Dhvfg", id="rot13"),
        pytest.param("Uif!gff!jt!5822!FVS-!tbzt!Psmb!Rvjtu", id="next letter for each"),
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
    argument: object,
) -> None:
    trial = LookingTrial()
    path = trial.look(argument, result="The fee is 4711 EUR, says Orla Quist")

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")


def test_words_of_an_argument_that_is_a_url_cannot_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look(
        "x://The_fee_is_4711_EUR",
        result="found The fee is 4711 EUR, says Orla Quist",
    )

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")


def test_a_sentence_that_was_sent_in_pieces_cannot_be_quoted() -> None:
    """The script sends two letters a call, in reverse order: "hT", " e", "ef". The last call
    sends nothing, and the server returns the whole sentence."""
    trial = LookingTrial()
    for start in range(0, len(SENTENCE), 2):
        two_letters = SENTENCE[start : start + 2]
        trial.look(two_letters[::-1], result="ok")
    path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

    with pytest.raises(ValueError, match="may come from the call's own arguments"):
        trial.quote(path, "4711 EUR")
