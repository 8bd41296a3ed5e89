"""`verify`, a script's own check of its answer, may read files, but change nothing.

`harness.answer(scratchpad, verify)` hands in an answer. The host, the parent's side of the sandbox,
then calls `verify` twice, about the answer and about a blank one, with a copy of the scratchpad.
"""

from tests.sandbox.opened_sandboxes import run_to_its_end


def test_verify_works_on_a_copy_of_the_scratchpad(sandbox):
    """`verify` changes the answer in its copy."""
    code = """
def verify(sp):
    sp["answer"] = "changed"
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(scratchpad)
"""

    result = run_to_its_end(sandbox, code)

    assert result.output == "{'answer': 'x'}\n"


def test_verify_may_read_files_and_run_tools_that_change_nothing(sandbox, host):
    code = """
def verify(sp):
    harness.read("/docs/checkout.md")
    harness.exec("/bin/id")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""

    run_to_its_end(sandbox, code)

    # Once for the answer, and once for a blank one.
    assert host.called_operations == ["read", "exec", "read", "exec"]
    assert all(call.in_verify for call in host.calls)
