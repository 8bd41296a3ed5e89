"""An answer that a client of `controlplane mcp docs` submits is accepted if its citations show it.

A citation has the path of a file, a reason, and perhaps a quote. A refusal names what has to change.
"""

from pathlib import Path

import pytest

from tests.controlplane.mcp.client_here import client_here

LOANS = {"loans.md": "- loan-02: kept until 2026-03-01.\n"}
"""The only file, which the client reads before it answers."""


def reply_to_answer(folder: Path, answer: str, **citation: str) -> str:
    """Read `loans.md` by a script, submit an answer with a citation, and return the reply."""
    with client_here(folder, LOANS) as client:
        client.text("execute_script", code="print(harness.read('/loans.md').content)")
        return client.text("submit_answer", answer=answer, citations=[citation])


def test_answer_with_right_citations_is_accepted(tmp_path: Path) -> None:
    """Gates are the checks of an answer. Below "passed the gates", the reply has the answer with
    footnotes, as the client can show it to its user."""
    reply = reply_to_answer(
        tmp_path,
        "Until 2026-03-01.",
        path="/loans.md",
        reason="the line on loan-02 names 2026-03-01",
        quote="until 2026-03-01",
    )

    assert "passed the gates" in reply
    assert "Until 2026-03-01 [1].\n  [1] /loans.md:1" in reply


REFUSED_ANSWERS = [
    pytest.param(
        {"path": "/x.md", "reason": "it says so"},
        "citations[0].path: ",  # the first citation, and what is wrong with its path
        id="a file that was not read",
    ),
    pytest.param(
        {
            "path": "/loans.md",
            "reason": "the line on loan-02 names 2026-03-01",
            "quote": "until May",
        },
        "citations[0].quote: `until May` is not in what was read",
        id="a quote that is not in its file",
    ),
    pytest.param(
        {"path": "/loans.md", "reason": "a ZX-4711 flight"},
        "or quote it in `citations[].quote`",  # advice of a gate: how to show ZX-4711
        id="a reason that is not in its file",
    ),
]


@pytest.mark.parametrize(("citation", "refusal"), REFUSED_ANSWERS)
def test_answer_with_a_wrong_citation_is_refused(
    citation: dict[str, str], refusal: str, tmp_path: Path
) -> None:
    """The refusal names the arguments of the tool `submit_answer`, such as `citations`. The
    product's own models cite by `scratchpad.cite(...)` instead, which a client cannot call."""
    reply = reply_to_answer(tmp_path, "Until May.", **citation)

    assert refusal in reply
    assert "scratchpad" not in reply
    assert "Traceback" not in reply
