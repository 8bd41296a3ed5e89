"""A user's program can import any module of the product without an effect that it did not ask for.

Nothing is printed, no variable of the environment is read, and no thread is started. The library
`openai`, whose import takes long, is not imported.
"""

from tests.support.command import run_python
from tests.support.product_files import paths


def importable_modules() -> list[str]:
    """Return the product's modules that a user's program may import."""
    # These extend pytest or Inspect, and import it, so they are for users who have it.
    extensions = ("pytest_plugin", "container_sandbox", "trial_sandbox")
    names: list[str] = []
    for name, path in paths().items():
        # Users start programs and servers, and do not import them.
        is_program = path.name == "__main__.py" or "server" in path.parts
        if not is_program and path.stem not in extensions:
            names.append(name)
    return names


PROGRAM_THAT_IMPORTS_MODULES = """
import gc, importlib, os, sys, threading
gc.disable()  # All that is imported stays, so that a search for garbage would find nothing.
# The libraries of others may read the environment at their import, so they are imported before.
import click, httpx2, pydantic, RestrictedPython
import rich.console, rich.live, rich.syntax, rich.table

class ForbiddenEnvironment(dict):
    def __getitem__(self, key):
        sys.exit(f"read {key}")

    # Python's own modules use only `get` when they are imported, so `get` asks who calls it.
    def get(self, key, default=None):
        caller = sys._getframe(1).f_globals["__name__"]
        return self[key] if caller.startswith("controlplane") else default

environment = os.environ
for name in sys.argv[1:]:
    os.environ = ForbiddenEnvironment()
    importlib.import_module(name)
os.environ = environment

assert threading.active_count() == 1
assert "openai" not in sys.modules
"""
"""Imports the modules that are its arguments. Meanwhile, `os.environ` is a mapping that ends the
process with a message if the product reads a variable."""


def test_importing_a_module_prints_nothing_reads_no_environment_and_starts_nothing() -> (
    None
):
    result = run_python("-c", PROGRAM_THAT_IMPORTS_MODULES, *importable_modules())

    assert result.err == ""
    assert result.out == ""
    assert result.code == 0
