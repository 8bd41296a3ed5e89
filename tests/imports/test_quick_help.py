"""`controlplane --help` imports nothing that it does not show, so that it is quick.

Libraries such as `pydantic` or `openai` take long to import. They are imported by the commands that
need them.
"""

from tests.support.command import run_python
from tests.support.product_files import package_of


def test_help_imports_nothing_that_it_does_not_show() -> None:
    """The program prints the help, and then the names of all modules that were imported for
    it."""
    code = """
import sys
from controlplane.command_line import cli
try:
    cli(["--help"])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""

    result = run_python("-c", code)

    assert "Commands:" in result.out
    loaded_modules = result.err.split()
    loaded_libraries = {module.partition(".")[0] for module in loaded_modules}
    # Libraries that take long to import.
    slow_libraries = {
        "openai",
        "httpx2",
        "jinja2",
        "pydantic",
        "pygments",
        "rich",
        "RestrictedPython",
        "multiprocessing",
    }
    assert loaded_libraries & slow_libraries == set()
    assert "controlplane.command_line" in loaded_modules
    for module in loaded_modules:
        assert package_of(module) not in ("sandbox", "gates", "benchmarks"), module
        assert not module.startswith("controlplane.lifecycle"), module
        assert not module.startswith("controlplane.journal"), module
