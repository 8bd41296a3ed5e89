"""What each process imports, as it has written it into a file of its own."""

import os
from pathlib import Path

from tests.imports.second_names.second_names import includes_product
from tests.support.command import ROOT

IMPORT_RECORDER = """
import os, sys

class Recorder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        try:
            with open(os.path.join(os.environ["IMPORTS"], str(os.getpid())), "a") as log:
                log.write(name + "\\n")
        except OSError:
            pass  # An isolated process cannot write.
        return None

sys.meta_path.insert(0, Recorder)
"""
"""A `sitecustomize`, which Python runs at its start: writes what each process imports into a file
that is called by the process's number."""


def variables_for_recorder(imports: Path) -> dict[str, str]:
    """Return the variables with which a process and its children record what they import.

    `PYTHONPATH` also has the clone, in which a bare `import agent` would find a package.
    """
    path = os.pathsep.join([str(imports.parent / "site"), str(ROOT)])
    return {"PYTHONPATH": path, "IMPORTS": str(imports)}


def imports_of_each_process(imports: Path) -> list[list[str]]:
    """Return the modules that each process imported, for processes that imported the product."""
    modules_of_processes: list[list[str]] = []
    for record in imports.iterdir():
        modules = record.read_text().split()
        if includes_product(modules):
            modules_of_processes.append(modules)
    return modules_of_processes
