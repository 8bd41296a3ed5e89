"""`open` is no way to the files of the machine: it calls `harness.read`.

Models write `open(...)` out of habit. It reads a file of the trial's environment, which the host
answers for.
"""

from controlplane.sandbox import Sandbox
from tests.sandbox.recording_host import RecordingHost


def test_open_reads_a_file_of_the_environment_through_the_host(
    sandbox: Sandbox, host: RecordingHost
) -> None:
    """`open` is no way to the machine's files: it calls `harness.read`."""
    script = """
import json
with open("/docs/checkout.md") as file:
    lines = file.readlines()
order = json.load(open("/proc/carts/c1/b7.json"))
print(len(lines) > 0, order["id"])
"""

    result = sandbox.run(script)

    assert result.output == "True b7\n"
    assert host.read_paths == {"/docs/checkout.md", "/proc/carts/c1/b7.json"}


def test_open_does_not_find_files_of_the_machine(sandbox: Sandbox) -> None:
    """`open` reads files of the environment, as `harness.read` does."""
    result = sandbox.run("print(open('/etc/passwd').read())")

    assert "FileNotFoundError" in result.error
    assert result.output == ""
