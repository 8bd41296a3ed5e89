"""A script of a model that reads loans.md, cites it, and gives an answer.

For example:

    ask(folder, script=script_that_answers("Until 2026-03-01, for EUR 12,345.67."))
"""


def script_that_answers(answer: str) -> str:
    """Return a script of a model that reads loans.md, cites it, and gives this answer."""
    return f"""
harness.read("/loans.md")
scratchpad.cite("/loans.md", "loan-02 is kept until 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
