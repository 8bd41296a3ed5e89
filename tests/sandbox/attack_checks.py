"""Scripts that find out whether an attack has gained something that lasts beyond its own step.

An attack is a hostile script. A trial runs its scripts as steps, one after the other in the same
process: what an attack left behind there, the next step may use.
"""

SHARED_STATE_CHECK = """
import json, calendar, textwrap, re, collections.abc, html.entities, hashlib, math, decimal, sys

# Functions that an attack could replace by its own
assert json.dumps({"a": [1, 2]}) == '{"a": [1, 2]}'
assert json.loads("[1]") == [1]
assert textwrap.fill("a b", 3) == "a b"
assert re.sub("a", "b", "a") == "b"

# Attributes of classes and modules, and tables, to which it could write
assert json.JSONEncoder.item_separator == ", "
assert not hasattr(HarnessError, "evil")
assert calendar.HTMLCalendar.cssclasses[0] == "mon"
assert "LEAK" not in hashlib.algorithms_guaranteed
assert "LEAK" not in html.entities.html5
assert math.pi > 3
assert len(sys.argv) == 1

# The precision of decimals, and the classes that count as mappings
assert decimal.Decimal(1) / 3 == decimal.Decimal("0." + "3" * 28)
class A: pass
assert not isinstance(A(), collections.abc.Mapping)

# Calls of the harness
assert harness.stat("/docs").is_dir
assert harness.read("/AGENTS.MD").content.startswith("Answer")
print("whole")
"""
"""A script that prints "whole" if no earlier step altered what all steps share.

Shared are the modules of the standard library, the harness and its exceptions. Each `assert` is
about something that an attack of `attacks/*.txt` tries to change. The calls of the script, `stat`
and `read`, stand in the host's record of calls, which tests compare.
"""

SECRET = "SECRET-OF-THE-MACHINE"
"""The content of a file and of an environment variable that no attack may print.

Both are made by the fixture `canary`.
"""

ATTACK_IN_NEXT_STEP = """
import _socket, os
def outside():
    return open(CANARY).read()
def secret():
    return os.environ["SANDBOX_SECRET"]
def network():
    return _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).connect(("127.0.0.1", PORT))
def program():
    return os.waitpid(os.posix_spawn("/usr/bin/id", ["id"], {}), 0)
def parent():
    return os.listdir(f"/proc/{os.getppid()}/fd")
for each in (outside, secret, network, program, parent):
    try:
        print("LEAK", each())
    except Exception as error:
        print(each.__name__, type(error).__name__, error)
"""
"""What an attacker goes on to do in the next step, whatever the attack left behind.

It tries to reach a file, an environment variable, a port, another program and the parent
process. For each it prints LEAK if it reached it, and the error if not. The test puts two lines
above it that name the file and the port: `CANARY = "/tmp/canary.txt"` and `PORT = 40123`. The
process of a script cannot load modules; `_socket` and `os` are loaded there already.
"""
