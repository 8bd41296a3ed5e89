"""Own words prove nothing in any form; lines of a file that lie apart are no sentence of it."""

import base64
import codecs
import time
import zlib

import pytest

from agent.evidence import EvidenceLog
from agent.evidence.returned_call import forms_of
from sandbox.interface import Effect, Operation, Parameter, ResultField, ToolSchema
from tests.gates.sample_trials import Calls

CODE = "vault KX-4471"
PATH = "/docs/Loans.md"


@pytest.mark.parametrize("given", ["_" * 60_000 + "ab", "x " * 300_000, " " * 100_000, "a_b " * 50_000, "'" * 90_000])
def test_the_forms_of_a_text_are_made_in_time_that_its_length_bounds(given: str) -> None:
    started = time.process_time()
    forms_of(given)
    assert time.process_time() - started < 3


def test_two_numbers_are_not_quoted_as_one() -> None:
    calls = Calls().see(PATH, "Fee 12 34 a\nTotal 5\n6 b")
    for quotation in ("1234", "56 b"):
        with pytest.raises(ValueError, match="is not in what was read"):
            calls.evidence_log.check_citation(PATH, "who opens the archive", quotation)
    assert calls.evidence_log.check_citation(PATH, "who opens the archive", "12  34A") == (PATH, 1)


@pytest.mark.parametrize(
    "given",
    [
        CODE,
        r"vault \u004bX-4471",
        r"\x76ault KX-4471",
        "&#118;ault KX-4471",
        "%76ault%20KX-4471",
        base64.b64encode(CODE.encode()).decode(),
        base64.urlsafe_b64encode(CODE.encode()).decode(),
        CODE.encode().hex(),
        "v a u l t",
        "['v', 'a', 'u', 'l', 't']",
        "select char(118,97,117,108,116)",
        "'vau' || 'lt'",
    ],
)
def test_a_text_is_known_in_every_form_in_which_a_tool_may_show_it(given: str) -> None:
    assert any("vault" in form for form in forms_of(given))


@pytest.mark.parametrize("given", [CODE, base64.b64encode(CODE.encode()).decode(), CODE.encode().hex(), "K X 4 4 7 1"])
@pytest.mark.parametrize("printed", ["The code is KX-4471.", "the code: kx-4471"])
def test_own_words_that_a_reading_tool_shows_in_another_form_justify_nothing(given: str, printed: str) -> None:
    calls = Calls()
    calls.run("/bin/query", given, stdout=printed)
    access = calls.evidence.accesses["/bin/query"]
    assert access.holds("code")
    assert not access.holds("kx-4471")


@pytest.mark.parametrize(("lines", "is_quotable"), [((4, 5), True), ((4, 9), False), ((9, 4), False)])
def test_lines_of_a_search_that_lie_apart_are_joined_to_no_sentence(lines: tuple[int, int], is_quotable: bool) -> None:
    calls = Calls()
    texts = ("The archive is opened", "by the night porter alone.")
    matches = [{"path": PATH, "line": line, "text": text} for line, text in zip(lines, texts, strict=True)]
    calls.evidence_log.record("search", {"pattern": "e", "root": "/"}, {"matches": matches}, None)
    for quotation in texts:
        assert calls.evidence_log.check_citation(PATH, "who opens the archive", quotation) == (PATH, 0)
    if is_quotable:
        assert (
            calls.evidence_log.check_citation(PATH, "who opens the archive", "is opened by the night porter")[0] == PATH
        )
    else:
        with pytest.raises(ValueError, match=r"is not in what was read|may come from"):
            calls.evidence_log.check_citation(PATH, "who opens the archive", "is opened by the night porter")


TOLD = "The fee is 4711 EUR, says Orla Quist"
SHIFTED = "".join(chr(ord(sign) + 1) for sign in TOLD)
PIECES = [TOLD[start : start + 2][::-1] for start in range(0, len(TOLD), 2)]


@pytest.mark.parametrize(
    ("given", "returned", "is_evidence"),
    [
        ([codecs.encode(TOLD, "rot13")], TOLD, False),
        ([TOLD[::-1]], TOLD, False),
        ([base64.b32encode(TOLD.encode()).decode()], TOLD, False),
        ([base64.a85encode(TOLD.encode()).decode()], TOLD, False),
        ([base64.b64encode(zlib.compress(TOLD.encode())).decode()], TOLD, False),
        ([SHIFTED], TOLD, False),
        (["The fee is four seven one one euro, says Orla Quist"], TOLD, False),
        ([",".join(str(ord(sign)) for sign in TOLD)], TOLD, False),
        ([[[4, 7, 1, 1], "Orla Quist"]], TOLD, False),
        ([*PIECES, ""], TOLD, False),
        (["x://The_fee_is_4711_EUR"], "found " + TOLD, False),
        (["select fee from loans where id = 'loan-02'"], "4711 EUR", True),
        (["select sum(fee) from loans group by id"], "loan-02: 4711 EUR", True),
        (["loan-02"], "loan-02: the fee is 4711 EUR", True),
        (["fees of the library"], "Members pay a fee of 4711 EUR a year, says the head of the library.", True),
        ([""], TOLD, True),
    ],
)
def test_a_servers_result_that_can_be_made_of_what_it_was_given_is_no_evidence(
    given: list[object], returned: str, is_evidence: bool
) -> None:
    fields = (ResultField("call_path"), ResultField("text"))
    look = Operation("db.look", (Parameter("q", "any", ""),), fields, "looks", Effect.RETURNS, subject="")
    log = EvidenceLog(ToolSchema((look,)))
    log.taint.know("What is the fee for loan-02?")
    for number, text in enumerate(given, start=1):
        shown = returned if number == len(given) else "ok"
        log.record("db.look", {"q": text}, {"call_path": f"/mcp/db/{number}", "text": shown}, None)
    place = f"/mcp/db/{len(given)}"
    if is_evidence:
        assert log.check_citation(place, "it names the fee", "4711 EUR")[0] == place
    else:
        with pytest.raises(ValueError, match="may come from the call's own arguments"):
            log.check_citation(place, "it names the fee", "4711 EUR")
