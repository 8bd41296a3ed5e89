"""A script of a model that cites the line on loan-02, and answers.

For example:

    script_with_answer("Until 2026-03-01.")
"""


def script_with_answer(answer: str) -> str:
    """Return a script that cites the line on loan-02, and answers."""
    return f"""
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""
