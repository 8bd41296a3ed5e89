"""`Sandbox` runs a trial's scripts, each as one step, and keeps only the scratchpad between steps.

For example, `sandbox.run("scratchpad['n'] = 1")` is followed by `sandbox.run("print(scratchpad)")`.
A script hands in an answer with a check of it, `harness.answer(scratchpad, verify)`, and the
answer reaches the *host*, the parent's side that answers a script's calls.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.opened_sandboxes import run_to_its_end


class TestExits:
    """An exit that cannot be described leaves the scratchpad as it was.

    A script ends itself by `SystemExit`, which it may give a code or text of its own making. To
    describe the exit, the sandbox has to run that code of the script.
    """

    @pytest.mark.parametrize(
        ("exiting_lines", "error"),
        [
            pytest.param(
                "class E:\n"
                "    def __str__(self): raise ValueError('x')\n"
                "raise SystemExit(E())",
                "ValueError while a SystemExit was described",
                id="the reason cannot be printed",
            ),
            pytest.param(
                "class S(SystemExit):\n"
                "    @property\n"
                "    def code(self): raise BaseException('x')\n"
                "raise S(0)",
                "BaseException while a S was described",
                id="the exit code raises an exception",
            ),
            pytest.param(
                "class S(SystemExit):\n    code = property(lambda self: 0)\nraise S('why')",
                "SystemExit: the script ended itself (code 0)",
                id="the exit code pretends success",
            ),
        ],
    )
    def test_an_exit_that_cannot_be_described_leaves_the_scratchpad_as_it_was(
        self, exiting_lines, error, sandbox
    ):
        """The script sets a key, and then exits by an exception that has a code or text of its own
        making. To describe it, the sandbox runs that code of the script."""
        result = sandbox.run(f"scratchpad['k'] = 1\n{exiting_lines}")

        assert result.ending is Ending.RAISED
        assert result.error == error
        assert result.scratchpad == {"k": 1}


class TestAnswers:
    """A script hands in an answer with a check of it, and the host gets both.

    `harness.answer(scratchpad, verify)` submits the scratchpad. The host asks `verify`, the
    script's own check, about the answer and about a blank one.
    """

    def test_the_host_gets_an_answer_as_json(self, sandbox, host):
        """Values that JSON does not have are sent as texts, and a set as a sorted list."""
        code = """
from decimal import Decimal
from datetime import date
scratchpad["answer"] = "7"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["when"] = date(2026, 1, 2)
scratchpad["cost"] = Decimal("1.5")
scratchpad["tags"] = {"b", "a"}
harness.answer(scratchpad, lambda sp: True)
"""

        run_to_its_end(sandbox, code)

        assert host.answers == [
            {
                "answer": "7",
                "outcome": "OUTCOME_OK",
                "when": "2026-01-02",
                "cost": "1.5",
                "tags": ["a", "b"],
            }
        ]

    def test_the_host_asks_verify_about_the_answer_and_about_a_blank_one(
        self, sandbox, host
    ):
        """A check that says yes to both checks nothing."""
        code = """
scratchpad["answer"] = "7"
def verify(sp):
    assert sp.answer == sp["answer"]
    return {"ok": sp["answer"] == "7"}
harness.answer(scratchpad, verify)
"""

        run_to_its_end(sandbox, code)

        assert len(host.verify_replies) == 1
        replies = host.verify_replies[0]
        assert replies.to_answer.says_yes  # "7" == "7"
        assert not replies.to_blank_answer.says_yes


class TestCallsAfterTheAnswer:
    """A trial has one answer, and nothing may change behind it."""

    def test_every_call_after_an_accepted_answer_fails(self, sandbox):
        code = """
scratchpad["answer"] = "x"
harness.answer(scratchpad, lambda sp: True)
for call in (
    lambda: harness.stat("/docs"),
    lambda: scratchpad.cite("/docs", "long enough"),
    lambda: harness.answer(scratchpad, 1),
):
    try:
        call()
    except HarnessError as error:
        print(error.code, error.message)
"""

        result = run_to_its_end(sandbox, code)

        error = "failed_precondition the answer was accepted; the trial is over"
        assert result.output.splitlines() == [error, error, error]


class TestCallsOfVerify:
    """`verify`, the script's check of its answer, may read, but change nothing.

    The host calls it twice for one answer. It works on a copy of the scratchpad.
    """

    def test_verify_works_on_a_copy_of_the_scratchpad(self, sandbox):
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

    def test_verify_may_read_files_and_run_tools_that_change_nothing(
        self, sandbox, host
    ):
        code = """
def verify(sp):
    harness.read("/docs/checkout.md")
    harness.exec("/bin/id")
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
"""

        run_to_its_end(sandbox, code)

        assert host.called_operations == ["read", "exec", "read", "exec"]
        assert all(call.in_verify for call in host.calls)


class TestRefusedCallsOfVerify:
    """A call of `verify` that changes something is refused.

    `verify` is the script's check of its answer, which the host calls twice: about the answer
    and about a blank one.
    """

    @pytest.mark.parametrize(
        "refused_call",
        [
            pytest.param('harness.write("/x", "y")', id="write a file"),
            pytest.param('harness.delete("/docs/checkout.md")', id="delete a file"),
            pytest.param('harness.exec("/bin/checkout")', id="run a tool that changes"),
            pytest.param('harness.exec("/bin/unknown")', id="run an unknown tool"),
            pytest.param(
                'scratchpad.cite("/docs/checkout.md", "a long reason")',
                id="cite a file",
            ),
            pytest.param("harness.answer(scratchpad, verify)", id="answer once more"),
        ],
    )
    def test_verify_may_change_nothing(self, sandbox, host, refused_call):
        """`verify` makes the call, and notes the error."""
        code = f"""
errors = []
def verify(sp):
    try:
        {refused_call}
        errors.append("none")
    except HarnessError as error:
        errors.append(error.code)
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(*errors)
"""

        result = run_to_its_end(sandbox, code)

        # Once for the answer, and once for a blank one.
        assert result.output == "permission_denied permission_denied\n"
        assert host.calls == []


class TestHangingVerify:
    """A `verify` that never returns ends its step."""

    @pytest.mark.parametrize(
        "endless_expression", ["sum(range(10 ** 13))", "[0 for _ in iter(int, 1)]"]
    )
    def test_a_verify_that_hangs_ends_its_step_and_the_next_step_works(
        self, open_sandbox, host, endless_expression
    ):
        """The script hands in an answer with a check of it, `verify`, that never returns. The host
        is told that `verify` says no, and the scratchpad is kept."""
        sandbox = open_sandbox(limits=Limits(verify_s=0.2))

        result = sandbox.run(
            "scratchpad['answer'] = 'x'\n"
            f"harness.answer(scratchpad, lambda sp: {endless_expression})"
        )

        assert result.ending is Ending.LIMIT
        assert result.error == "verify ran longer than 0.2 s"
        assert not host.verify_replies[0].to_answer.says_yes
        next_step = run_to_its_end(sandbox, "print(scratchpad['answer'])")
        assert next_step.output == "x\n"
