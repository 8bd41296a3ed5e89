"""The traceback of a script shows its own lines, and nothing else.

The error goes back to the model, which can only correct its own lines, and not those of `harness`,
by which scripts read files.
"""

from controlplane.sandbox import Ending, Sandbox


def test_a_traceback_shows_the_lines_of_the_script_and_nothing_else(
    sandbox: Sandbox,
) -> None:
    result = sandbox.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")

    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


def test_unusual_values_in_the_scratchpad_do_not_hide_the_error_of_the_script(
    sandbox: Sandbox,
) -> None:
    """The scratchpad, which later steps get, is sent to the parent with the error. Here its
    values have a set and a tuple as keys, which JSON does not have."""
    code = """
scratchpad["k"] = {frozenset({1}): 1, (1, 2): 2}
scratchpad["s"] = [1]
raise ValueError("kept")
"""

    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert "kept" in result.error
