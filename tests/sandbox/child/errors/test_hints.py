"""The error of a script says what to write instead, because the model corrects its script by it.

After `harness.cite('/a', 'b')` it asks "did you mean scratchpad.cite(path, reason, quote)?".
Scripts read files by `harness`, and keep values in `scratchpad`.
"""

import pytest

from controlplane.sandbox import Ending, Sandbox


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
