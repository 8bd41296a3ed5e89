"""Replaced methods of built-in types are called wherever CPython's were, and a server is whole or does not start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandbox import ForkServer, SandboxBroken
from sandbox.parent import server_process

RAISED = """
import sys
sys.path[:0] = {paths!r}
from sandbox.library import pinned_addresses
from sandbox.library.current_step import STEP
from sandbox.process.confinement import VerifyTooLong
pinned_addresses.install()
class Expired(BaseException): pass
def fail(target): raise error
STEP.number_of = fail
shown = [object(), [].append, [].__len__, lambda: 0, memoryview(b""), (x for x in ()), type("A", (), {{}})()]
ways = [repr, str, ascii, lambda each: f"{{each!r}}", lambda each: "%r" % (each,), lambda each: print([[each]])]
for error in (Expired(), VerifyTooLong(), KeyboardInterrupt(), RecursionError(), MemoryError(), ValueError()):
    for each in shown:
        for show in ways:
            try: show(each)
            except BaseException as found: assert found is error
            else: raise AssertionError
print("all came through")
"""


def test_an_exception_in_a_replaced_method_comes_through():
    code = RAISED.format(paths=[each for each in sys.path if each])
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stderr, ended.stdout) == ("", "all came through\n")


@pytest.mark.parametrize("altered", ["_FLAGS = 16", "setattr = print"])
def test_a_server_that_cannot_replace_them_does_not_start(altered, monkeypatch):
    boot = f"from sandbox.library import type_slots;type_slots.{altered};from sandbox.child"
    monkeypatch.setattr(server_process, "_BOOT", server_process._BOOT.replace("from sandbox.child", boot, 1))
    with ForkServer() as server, pytest.raises(SandboxBroken) as raised:
        server.kernel_report()
    assert str(raised.value) == "methods of 'object' cannot be replaced in this version of Python"
