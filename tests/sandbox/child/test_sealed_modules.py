"""A script cannot change the modules that later steps of its trial use.

    json.dumps = fake       # AttributeError: <module 'json'> is sealed

Steps share their modules, so that a changed `json.dumps` would work for a later step, or against
it.
"""

import pytest

from controlplane.sandbox import Sandbox


@pytest.mark.parametrize(
    ("assignment", "error"),
    [
        ("json.dumps = fake", "<module 'json'> is sealed"),
        ("json.JSONEncoder.item_separator = ';'", "class JSONEncoder is sealed"),
        ("sys.stdin = None", "<module 'sys'> is sealed"),
        ("setattr(json, 'dumps', fake)", "<module 'json'> is sealed"),
        ("del json.JSONDecoder.decode", "class JSONDecoder is sealed"),
        ("HarnessError.evil = 1", "class HarnessError is sealed"),
        ("harness.read = fake", "is sealed"),
        ("delattr(harness, 'read')", "is sealed"),
        ("scratchpad.answer = 1", "use its item ['answer']"),
        ("harness.stat('/docs').path = 1", "use its item ['path']"),
        ("for json.dumps in [fake]: pass", "<module 'json'> is sealed"),
        ("dataclasses.dataclass = fake", "sealed"),
    ],
)
def test_a_script_cannot_change_modules_that_later_steps_use(
    assignment: str, error: str, sandbox: Sandbox
) -> None:
    """`fake` is a function of the script."""
    look_at_json = """
import json
print(json.dumps({'a': [1]}), json.JSONDecoder().decode('1'))
"""

    result = sandbox.run(
        f"import dataclasses, json, sys\ndef fake(): pass\n{assignment}"
    )

    assert error in result.error
    assert sandbox.run(look_at_json).output == '{"a": [1]} 1\n'
