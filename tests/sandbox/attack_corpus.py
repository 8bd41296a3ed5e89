"""The corpus of attacks: one holds an object that no script should where its output says LEAK."""

from tests.sandbox.script_world import HERE, blocks

_EXPRESSION = """\
try:
    _found = {expression}
    print("LEAK", type(_found))
except Exception as _error:
    print("held", type(_error).__name__)
"""

AFTERMATH = """
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
"""What an attacker goes on to do in the next step, whatever the attack left behind: with modules that are loaded, since
none can be loaded there."""


def language_attacks() -> list[tuple[str, str]]:
    """Return (title, script) of every attack on the language wall."""
    found: list[tuple[str, str]] = []
    family = ""
    for line in (HERE / "attacks/expressions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# --- "):
            family = line.removeprefix("# --- ")
        else:
            found.append((f"{family}: {line}", _EXPRESSION.format(expression=line)))
    return [
        *found,
        *blocks(
            *("attacks/roads.txt", "attacks/tricks.txt", "attacks/handed.txt", "attacks/reached.txt"),
            *("attacks/newer.txt", "attacks/deputies.txt", "attacks/asked.txt"),
            *("attacks/compared.txt", "attacks/memory.txt"),
        ),
    ]


def attacks_over_steps() -> list[tuple[str, list[str]]]:
    """Return (title, steps) of every attack by which one step would reach into a later one."""
    return [
        (title, text.split("# === next step\n")) for title, text in blocks("attacks/steps.txt", "attacks/lasting.txt")
    ]
