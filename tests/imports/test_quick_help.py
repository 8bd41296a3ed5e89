"""`controlplane --help` imports no library that takes long to import, so that it is quick.

Such libraries are imported by the commands that need them.
"""

from tests.support.command import run_python
from tests.support.product_files import package_of


def test_help_imports_no_slow_library_and_no_part_that_plays_trials() -> None:
    program = """
import sys
from controlplane.command_line import cli
try:
    cli(["--help"])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)  # The names of all modules that were imported
"""

    result = run_python("-c", program)

    assert "Commands:" in result.out
    loaded_modules = result.err.split()
    assert "controlplane.command_line" in loaded_modules

    loaded_libraries = {module.partition(".")[0] for module in loaded_modules}
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
    # The parts of the product that play trials, and those that read and write journals.
    for module in loaded_modules:
        assert package_of(module) not in ("sandbox", "gates", "benchmarks"), module
        assert not module.startswith("controlplane.lifecycle"), module
        assert not module.startswith("controlplane.journal"), module
