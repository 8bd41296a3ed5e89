"""What each process imports, as the process has written it into a file of its own.

Python runs a module `sitecustomize` at its start. The fixture `imports` writes `IMPORT_RECORDER` as one:

    site/sitecustomize.py    the recorder
    imports/4711             written by process 4711: the name of a module on each line
"""

import os
from collections.abc import Iterable
from pathlib import Path

from tests.support.product_files import ROOT

# Modules of the product that a process has loaded without `controlplane.` in front of their names.

PRODUCT_PACKAGES = ("agent", "benchmarks", "gates", "prompts", "sandbox")
"""The product's packages without `controlplane.` in front."""


def modules_with_a_second_name(modules: Iterable[str]) -> list[str]:
    """Return the product's modules that were imported without `controlplane.` in front.

    `modules_with_a_second_name(["agent.loop", "controlplane.agent", "sys"])` -> `["agent.loop"]`
    """
    names: list[str] = []
    for module in modules:
        top_level_name = module.partition(".")[0]
        if top_level_name in PRODUCT_PACKAGES:
            names.append(module)
    return sorted(names)


def includes_product(modules: Iterable[str]) -> bool:
    """Return True if some of the modules are the product's."""
    return any(module.startswith("controlplane.") for module in modules)


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
"""Writes the name of each module that a process imports into the file `$IMPORTS/NUMBER OF PROCESS`."""


def variables_for_recorder(imports: Path) -> dict[str, str]:
    """Return the variables with which a process and its children record what they import.

    `imports` is the folder for their files, beside the folder `site`.
    """
    site = imports.parent / "site"
    # With the repository on the path, a wrong `import agent` succeeds, and so is recorded.
    path = os.pathsep.join([str(site), str(ROOT)])
    return {"PYTHONPATH": path, "IMPORTS": str(imports)}


def imports_of_each_process(imports: Path) -> list[list[str]]:
    """Return the modules that each process imported: `[["os", "controlplane", ...], ...]`.

    Processes that did not import the product are left out.
    """
    modules_of_processes: list[list[str]] = []
    for record in imports.iterdir():
        modules = record.read_text().split()
        if includes_product(modules):
            modules_of_processes.append(modules)
    return modules_of_processes
