"""What scripts print: a value of their own proves nothing however they make it, what they compute from reads does.

Each line of the table is a value, and a script that prints it and submits it; `\\n` begins a line of the script.
"""

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import pytest

from gates.claims import ClaimTracer, Source
from tests.gates.test_claims import FILES

TABLE = (Path(__file__).parent / "script_outputs.txt").read_text(encoding="utf-8")


class Harness:
    """The calls of the scripts above."""

    def read(self, path: str) -> SimpleNamespace:
        return SimpleNamespace(content=FILES[path])

    def table(self, path: str, sql: str = "") -> SimpleNamespace:
        rows = [{**row, "amount_eur": float(row["amount_eur"])} for row in csv.DictReader(io.StringIO(FILES[path]))]
        return SimpleNamespace(rows=[{"total": sum(row["amount_eur"] for row in rows)}] if sql else rows)

    def answer(self, scratchpad: object, verify: object) -> None:
        assert callable(verify)
        verify(scratchpad)


def supports(script: str, answer: str) -> set[str]:
    """Return the supports of an answer's claims that a script prints, and the next one submits typed."""
    submits = f"scratchpad['answer'] = {answer!r}\nharness.answer(scratchpad, lambda sp: bool(sp['answer']))\n"
    with redirect_stdout(io.StringIO()) as output:
        exec(script, {"harness": Harness(), "scratchpad": {}, "__name__": "script"})
    sources = [Source(path, text) for path, text in FILES.items()]
    tracer = ClaimTracer(sources, "What is it?", steps=[(script, output.getvalue()), (submits, "")])
    return {claim.support for claim in tracer.trace(answer)}


@pytest.mark.parametrize("part", TABLE.removeprefix("# ").split("\n# "))
def test_only_what_a_script_computes_from_what_was_read_supports_a_claim(part: str) -> None:
    support, *lines = part.strip().split("\n")
    rows = [line.replace("\\n", "\n").partition(" | ") for line in lines]
    wrong = [row for row in rows if supports(row[2], f"It comes to {row[0]} units.") != {support.partition(":")[0]}]
    assert (len(rows) > 30, wrong) == (True, [])


def test_a_literal_that_a_script_submits_proves_nothing_if_it_may_show_the_scratchpad() -> None:
    sources = [Source(path, text) for path, text in FILES.items()]
    submits = "scratchpad['answer'] = 'It is ' + str(47) + '27.'\n"
    for shows in ("print(scratchpad)", "print(scratchpad['answer'])", "print(locals())"):
        (claim,) = ClaimTracer(sources, "", steps=[(submits + shows, "It is 4727.\n")]).trace("It is 4,727.")
        assert claim.support == "missing"
