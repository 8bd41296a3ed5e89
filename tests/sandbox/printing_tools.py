"""Tools that scripts may run, such as `/bin/echo`, and what they print."""

from controlplane.sandbox.interface import CallError, Plain
from tests.sandbox.declared_calls import NOW


def result_of_tool(path: str, args: list[str], stdin: str) -> dict[str, Plain]:
    """Return what the tool at a path prints, and its exit code; only `/bin/id ARG` fails.

    `result_of_tool("/bin/echo", ["a", "b"], "")` -> `{"stdout": "a b\\n", "stderr": "", "exit_code": 0}`
    """
    outputs = {
        "/bin/id": "clerk-7 (clerk)\n",
        "/bin/date": NOW.isoformat().replace("+00:00", "Z") + "\n",
        "/bin/echo": " ".join(args) + "\n",
        "/bin/cat": stdin,
        "/bin/checkout": "ok\n",
    }
    if path not in outputs:
        raise CallError("not_found", f"there is no tool {path}")
    exit_code = 0
    if path == "/bin/id" and args:
        exit_code = 1
    return {"stdout": outputs[path], "stderr": "", "exit_code": exit_code}
