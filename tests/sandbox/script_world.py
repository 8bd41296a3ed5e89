"""A small world of files and tools that the sandbox's tests
run scripts against, and the blocks of a corpus file."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from click.testing import CliRunner

from controlplane.sandbox import (
    Ending,
    FileTree,
    Refusal,
    Sandbox,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.__main__ import main
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    Plain,
    ToolSchema,
)

HERE = Path(__file__).parent
NOW = datetime(2026, 3, 11, 14, 45, 13, tzinfo=UTC)

TOOL_SCHEMA = ToolSchema(
    FILE_OPERATIONS,
    executables=(
        Executable("/bin/id", ExecutableKind.READS),
        Executable("/bin/cat", ExecutableKind.READS),
        Executable("/bin/checkout", ExecutableKind.CHANGES),
    ),
)

FILES = {
    "/AGENTS.MD": "Answer in one line.\n",
    "/docs/checkout.md": "# Checkout\nStock must be there the same day.\nNo refund after 14 days.\n",
    "/docs/discounts.md": "Clerk may give up to 5 % off.\nManager may give up to 20% off. A refund is no discount.\n",
    "/proc/carts/c1/b7.json": json.dumps(
        {
            "id": "b7",
            "status": "open",
            "lines": [
                {"sku": "x", "qty": 2, "price": 9.5},
                {"sku": "y", "qty": 1, "price": 4.25},
            ],
        }
    ),
    "/proc/carts/c2/b9.json": json.dumps(
        {"id": "b9", "status": "open", "lines": [{"sku": "z", "qty": 3, "price": 1.0}]}
    ),
    "/proc/payments/p1.json": json.dumps(
        {
            "id": "p1",
            "cart": "b7",
            "amount": 23.25,
            "status": "paid",
            "at": "2026-03-01T10:00:00+00:00",
        }
    ),
    "/proc/payments/p2.json": json.dumps(
        {
            "id": "p2",
            "cart": "b9",
            "amount": 4.0,
            "status": "failed",
            "at": "2026-03-05T09:30:00+00:00",
        }
    ),
    "/uploads/stock.csv": "sku,qty,price\nx,10,9.50\ny,3,4.25\nz,40,12.00\n",
}


@dataclass
class RecordingHost:
    """A host that keeps what was submitted and cited, and how often it was called."""

    tree: FileTree = field(default_factory=lambda: FileTree(FILES))
    read: set[str] = field(default_factory=set)
    calls: list[tuple[str, dict[str, Plain], bool]] = field(default_factory=list)
    answers: list[Mapping[str, Plain]] = field(default_factory=list)
    verified: list[tuple[VerifyReply, VerifyReply]] = field(default_factory=list)

    def call(
        self, operation: str, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        self.calls.append((operation, arguments, in_verify))
        if operation == "exec":
            return self._exec(**arguments)
        result: dict[str, Plain] = getattr(self.tree, operation)(**arguments)
        if operation == "read":
            self.read.add(str(result["path"]))
        return result

    def _exec(self, path: str, args: list[str], stdin: str) -> dict[str, Plain]:
        outputs = {
            "/bin/id": "clerk-7 (clerk)\n",
            "/bin/date": NOW.isoformat().replace("+00:00", "Z") + "\n",
            "/bin/echo": " ".join(args) + "\n",
            "/bin/cat": stdin,
            "/bin/checkout": "ok\n",
        }
        if path not in outputs:
            raise CallError("not_found", f"there is no tool {path}")
        return {
            "stdout": outputs[path],
            "stderr": "",
            "exit_code": int(bool(args) and path == "/bin/id"),
        }

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        if len(reason) < 8:
            raise Refusal("the reason is too short")
        if self.tree.text(path) is None:
            raise Refusal(f"{path} was not read")
        return path

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        if "reject" in str(scratchpad.get("answer")):
            raise Refusal("gate 3: no references")
        if verify.is_callable and verify.takes_one_argument:
            self.verified.append((verify.ask(False), verify.ask(True)))
        self.answers.append(dict(scratchpad))


ORDINARY_SCRIPT_FILES = tuple(
    f"ordinary/{name}.txt"
    for name in (
        *(
            "constructs",
            "modules",
            "classes",
            "harness",
            "agents",
            "functions",
            "newer",
        ),
        *(
            "library",
            "objects",
            "idioms",
            "work",
            "corners",
            "makers",
            "everyday",
            "documented",
        ),
    )
)
"""The corpus of ordinary scripts."""
_NEEDS = re.compile(r"\(Python 3\.(\d+)\)$")


def runs_here(title: str) -> bool:
    """Say whether this Python is new enough for a block of this title."""
    needs = _NEEDS.search(title)
    return needs is None or sys.version_info >= (3, int(needs[1]))


def corpus_scripts(*names: str) -> list[tuple[str, str]]:
    """Return (title, source) of every `# --- title` block of corpus files below this folder.

    A block whose title ends with `(Python 3.12)` needs at least that, and is left out
    on an older one.
    """
    found: list[tuple[str, str]] = []
    for name in names:
        path = HERE / name
        for block in re.split(r"(?m)^# --- ", path.read_text(encoding="utf-8"))[1:]:
            title, _, source = block.partition("\n")
            if runs_here(title):
                found.append((f"{path.stem}: {title}", source))
    return found


def run_to_its_end(box: Sandbox, code: str) -> StepResult:
    """Run a script that must come to its end."""
    result = box.run(code)
    assert result.ending is Ending.FINISHED, result
    return result


SHARED_STATE_CHECK = """
import json, calendar, textwrap, re, collections.abc, html.entities, hashlib, math, decimal, sys
assert json.dumps({"a": [1, 2]}) == '{"a": [1, 2]}' and json.loads("[1]") == [1]
assert json.JSONEncoder.item_separator == ", " and not hasattr(HarnessError, "evil")
assert calendar.HTMLCalendar.cssclasses[0] == "mon" and textwrap.fill("a b", 3) == "a b"
assert "LEAK" not in hashlib.algorithms_guaranteed and "LEAK" not in html.entities.html5
assert math.pi > 3 and len(sys.argv) == 1 and decimal.Decimal(1) / 3 == decimal.Decimal("0." + "3" * 28)
class A: pass
assert not isinstance(A(), collections.abc.Mapping) and re.sub("a", "b", "a") == "b"
assert harness.stat("/docs").is_dir and harness.read("/AGENTS.MD").content.startswith("Answer")
print("whole")
"""
"""A script that prints whole where no earlier step altered what all steps share."""


_EXPRESSION = """\
try:
    _found = {expression}
    print("LEAK", type(_found))
except Exception as _error:
    print("held", type(_error).__name__)
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
"""What an attacker goes on to do in the next step, whatever the attack left
behind: with modules that are loaded, since none can be loaded there."""


def language_attacks() -> list[tuple[str, str]]:
    """Return (title, script) of every attack on the language layer."""
    found: list[tuple[str, str]] = []
    family = ""
    for line in (
        (HERE / "attacks/expressions.txt").read_text(encoding="utf-8").splitlines()
    ):
        if line.startswith("# --- "):
            family = line.removeprefix("# --- ")
        else:
            found.append((f"{family}: {line}", _EXPRESSION.format(expression=line)))
    return [
        *found,
        *corpus_scripts(
            *(
                "attacks/roads.txt",
                "attacks/tricks.txt",
                "attacks/handed.txt",
                "attacks/reached.txt",
            ),
            *("attacks/newer.txt", "attacks/deputies.txt", "attacks/asked.txt"),
            *("attacks/compared.txt", "attacks/memory.txt"),
        ),
    ]


def attacks_over_steps() -> list[tuple[str, list[str]]]:
    """Return (title, steps) of every attack by which one step would reach into a later one."""
    return [
        (title, text.split("# === next step\n"))
        for title, text in corpus_scripts("attacks/steps.txt", "attacks/lasting.txt")
    ]


def run_sandbox_command(*arguments, script=""):
    """Run the command in this process."""
    return CliRunner().invoke(
        main,
        [str(argument) for argument in arguments],
        input=script,
        prog_name="python -m controlplane.sandbox",
    )


def run_script_over_folder(folder, script, *options):
    done = run_sandbox_command(
        "run", "--files", folder, "--json", *options, script=script
    )
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)
