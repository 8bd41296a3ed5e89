"""Own words prove nothing in any form; lines of a file that lie apart are no sentence of it."""

from __future__ import annotations

import base64

import pytest

from agent.evidence.returned_call import forms_of
from tests.gates.sample_trials import Calls, fault, judged, pad

CODE = "vault KX-4471"
PATH = "/docs/Loans.md"


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
    ],
)
def test_a_text_is_known_in_every_form_in_which_a_tool_may_show_it(given: str) -> None:
    assert any("vault" in form for form in forms_of(given))


@pytest.mark.parametrize("given", [CODE, base64.b64encode(CODE.encode()).decode(), CODE.encode().hex(), "K X 4 4 7 1"])
@pytest.mark.parametrize("printed", ["The code is KX-4471.", "the code: kx-4471"])
def test_own_words_that_a_reading_tool_shows_in_another_form_support_no_value(given: str, printed: str) -> None:
    calls = Calls()
    calls.read(PATH)
    calls.run("/bin/query", given, stdout=printed)
    submission = pad(answer="The code is KX-4471.", refs_why={PATH: "a loan runs 21 days"})
    found = fault(judged(submission, calls, instruction="What is the code?"), "6/found-value")
    assert "KX-4471" in found


def test_a_date_that_a_query_returned_is_found_though_its_words_named_other_dates() -> None:
    calls = Calls()
    calls.read(PATH)
    query = "select day from loans where day > '2031-05-01' and day < '2032-11-04'"
    calls.run("/bin/query", query, stdout="day\n2031-11-04\n")
    submission = pad(answer="2031-11-04", refs_why={"/bin/query": "ran the query", PATH: "a loan runs 21 days"})
    assert fault(judged(submission, calls, instruction="When?"), "6/found-value") == ""


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
        with pytest.raises(ValueError, match="is not in what was read"):
            calls.evidence_log.check_citation(PATH, "who opens the archive", "is opened by the night porter")
