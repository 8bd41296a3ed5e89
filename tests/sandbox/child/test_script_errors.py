"""The error of a script says what to write instead, because the model corrects its script by it.

The scripts run in a small world of files, such as `/docs/checkout.md`.
"""

import pytest

from controlplane.sandbox import Ending, Sandbox


def test_a_traceback_shows_the_lines_of_the_script_and_nothing_else(
    sandbox: Sandbox,
) -> None:
    """A model can only correct its own lines, not those of the harness."""
    result = sandbox.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")

    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        # modules
        ("import json\njson.x = 1", "<module 'json'> is sealed"),
        ("statistics.mean([1])", "write `import statistics` here"),
        ("datetime.now()", "`import datetime` or `from datetime import datetime`"),
        # results of calls
        (
            "harness.read('/docs/checkout.md').splitlines()",
            "write .content.splitlines(...)",
        ),
        ("harness.list('/')[0]", "the result has no 0; it has entries"),
        # the scratchpad
        (
            "scratchpad['a'] = 1\nscratchpad['b']",
            "the scratchpad has no 'b'; it has 'a'",
        ),
        ("scratchpad.subject", "scratchpad['subject']"),
        # the harness
        (
            "harness.answer(answer='x')",
            "harness.answer() got an unexpected keyword argument",
        ),
        (
            "harness.cite('/a', 'b')",
            "did you mean scratchpad.cite(path, reason, quote)?",
        ),
        ("cite('/a', 'b')", "write `scratchpad.cite(...)`"),
        ("answer('b')", "write `harness.answer(scratchpad, verify)`"),
        ("harness.unheard()", "has no 'unheard'; it has answer, delete"),
        ("harness.exec('/bin/cat', '--help')", "write ['--help']"),
        # texts where numbers are needed, and the other way round
        ("'%.1f' % '2.5'", "write float(value)"),
        ("'%d' % '2'", "write float(value)"),
        ("sum(['1', '2'])", "write float(value)"),
        ("'10' > 9", "write float(value)"),
        ("print(1, sep=2)", "sep must be None or a string, not int"),
    ],
)
def test_the_error_of_a_common_mistake_says_what_to_write_instead(
    code: str, hint: str, sandbox: Sandbox
) -> None:
    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert hint in result.error


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
