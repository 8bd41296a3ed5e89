"""`python -m controlplane.sandbox run --files DIR --json` runs a script, and prints what it did.

The script is untrusted, and sees the folder DIR as `/`. One JSON object has its output, its error,
how many calls it made, the answer that it handed in, and the scratchpad, which is what it has
stored.
"""

from tests.sandbox.sandbox_command import run_script_over_folder


def test_one_json_object_says_what_the_script_did(folder):
    """The script reads a file with the lines "alpha" and "beta", and answers "beta".

    With the answer it hands in a function that checks it. The command calls the function twice,
    with the answer and with a blank one, because a check that says yes to both checks nothing.
    """
    script = """
print(harness.read("/docs/a.txt").content, end="")
scratchpad["n"] = {1, 2}
scratchpad["answer"] = "beta"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/docs/a.txt", "the second line says beta")
harness.answer(scratchpad, lambda sp: sp["answer"] == "beta")
"""
    cited = {"/docs/a.txt": "the second line says beta"}

    result = run_script_over_folder(folder, script)

    assert result.pop("elapsed_ms") > 0
    assert result == {
        "output": "alpha\nbeta\n",
        "error": None,
        "calls": 1,  # harness.read
        "answered": {
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": cited,
            "verify": {"says_yes": True, "error": ""},  # "beta" == "beta"
            "verify_blanked": {"says_yes": False, "error": ""},  # "" == "beta"
        },
        "scratchpad": {
            "n": [1, 2],  # JSON has no sets.
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": cited,
        },
    }
