"""Finds benchmarks, solvers, models and rule sets by name: registered names first, then importable modules. Names the
installed versions.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from importlib import metadata
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from controlplane.agent.loop import Prompts, default_prompts
from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    OpenedBenchmark,
)
from controlplane.configuration.continuation import belongs_to_a_program
from controlplane.errors import Unreachable, UsageError, did_you_mean, extra_module, fault_text
from controlplane.gates.rule_set_loading import (
    RuleSetError,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.rules import RuleSet
from controlplane.journal.run_events import Versions
from controlplane.solver import SOLVERS, SolverSpec

_FAILURES_OF_OTHERS: Final = (
    *(
        ArithmeticError,
        AssertionError,
        AttributeError,
        ImportError,
        LookupError,
        NameError,
        OSError,
        RuntimeError,
    ),
    *(SyntaxError, SystemExit, TypeError, ValueError),
)
"""Errors that a user's module may raise while it is imported or opened."""

BENCHMARKS: Final = {
    "ecom": "controlplane.benchmarks.ecom.ecom_benchmark",
    "bitgn": "controlplane.benchmarks.bitgn.client.remote_benchmark",
    "folder": "controlplane.benchmarks.folder.folder_benchmark",
    "files": "controlplane.benchmarks.files.files_benchmark",
    "inspect": "controlplane.benchmarks.inspect.inspect_benchmark",
    "harbor": "controlplane.benchmarks.harbor.harbor_benchmark",
}

_pinned: Final[dict[str, str]] = {}
"""The folders that take the place of the working folder, by module or package."""


def import_named(name: str) -> ModuleType:
    """Import a module that the user names: an installed one, or one of the working folder, with its neighbours.

    The folder is never searched: what an import lacks is loaded by its path, so libraries find nothing of the folder.
    """
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not _is_loaded(error):
                raise


def _is_loaded(error: ModuleNotFoundError) -> bool:
    """Load the module or package that an import lacks from the working folder; False if it is not there."""
    root = (error.name or "").partition(".")[0]
    with suppress(OSError):  # The working folder is gone.
        spec = (
            PathFinder.find_spec(root, [_pinned.get(root) or str(Path.cwd())])
            if root not in sys.modules
            else None
        )
        if spec is not None:
            sys.modules[root] = module = module_from_spec(spec)
            try:
                while spec.loader is not None:
                    try:
                        spec.loader.exec_module(module)
                        break
                    except ModuleNotFoundError as lacking:
                        if not _is_loaded(lacking):
                            raise
            except BaseException:
                del sys.modules[root]
                raise
            return True
    return False


def pin_modules(names: Collection[str], folder: Path) -> None:
    """Take these modules and packages from `folder` from now on, wherever they were imported from before."""
    _pinned.clear()
    _pinned.update(dict.fromkeys(names, str(folder)))
    for imported in [module for module in sys.modules if module.partition(".")[0] in names]:
        del sys.modules[imported]
    importlib.invalidate_caches()


def options_of(spec: str) -> tuple[BenchmarkOption, ...]:
    """Return the options that the benchmark `NAME[:ARGUMENT]` declares, with those whose values are secret. Raises
    `UsageError`."""
    module = _benchmark_module(spec)
    options = tuple(getattr(module, "OPTIONS", ()))
    wrong = [option for option in options if not isinstance(option, BenchmarkOption)]
    if wrong:
        msg = f"OPTIONS of the module {module.__name__!r} holds {wrong[0]!r}, which is not a BenchmarkOption"
        raise UsageError(msg)
    return options


def open_benchmark(
    spec: str, settings: Mapping[str, str], context: BenchmarkContext
) -> OpenedBenchmark:
    """Open the benchmark `NAME[:ARGUMENT]`. Raises `UsageError`, `Unreachable`."""
    module = _benchmark_module(spec)
    name, _, argument = spec.partition(":")
    _check_options(name, options_of(spec), settings)
    return opened_as(f"the benchmark {spec!r}", module.open_benchmark, argument, settings, context)


def opened_as(what: str, make: Callable[..., Any], *given: Any) -> OpenedBenchmark:
    """Return the benchmark that `make` returns for `given`, as a run uses it; `what` names it in errors. Raises
    `UsageError`, `Unreachable`."""
    try:
        made = make(*given)
        opened = made.opened() if callable(getattr(made, "opened", None)) else made
    except BenchmarkError as error:
        raise refused(error) from error
    except _FAILURES_OF_OTHERS as error:
        msg = f"{what} cannot be opened: {fault_text(error)}"
        raise UsageError(msg) from error
    opened = opened if isinstance(opened, OpenedBenchmark) else OpenedBenchmark(opened)
    if not callable(getattr(opened.benchmark, "describe", None)):
        msg = f"{what} opens {opened.benchmark!r:.200}, which has no describe()"
        raise UsageError(msg)
    return opened


def _benchmark_module(spec: str) -> ModuleType:
    name = spec.partition(":")[0]
    if not name:
        msg = f"no benchmark is named in {spec!r}; known: {', '.join(BENCHMARKS)}"
        raise UsageError(msg)
    if belongs_to_a_program(name):
        msg = (
            "the tasks of this run are objects of a Python program: continue it there, by "
            "controlplane.run(TASKS, resume=JOURNAL)"
        )
        raise UsageError(msg)
    module = _module(BENCHMARKS.get(name, name), "benchmark", name, BENCHMARKS)
    if not hasattr(module, "open_benchmark"):
        msg = f"the module {name!r} is not a benchmark: it has no open_benchmark(argument, settings, context)"
        raise UsageError(msg)
    return module


def _check_options(
    benchmark: str, options: Iterable[BenchmarkOption], settings: Mapping[str, str]
) -> None:
    """Raise `UsageError` for an undeclared option, or a value that is not among an option's choices."""
    for name, value in settings.items():
        option = next(
            (one for one in options if name in (one.name, one.secret_variable or one.name)), None
        )
        if option is None:
            names = [one.name for one in options if not one.secret_variable]
            msg = f"--set {name}: the benchmark {benchmark!r} has no option {name!r}{did_you_mean(name, names)}"
        elif option.secret_variable:
            msg = f"--set {name}: a secret is read only from the environment; set {option.secret_variable}"
        elif option.choices and value not in option.choices:
            msg = f"--set {name}: there is no {value!r}{did_you_mean(value, option.choices)}"
        else:
            continue
        raise UsageError(msg)


def refused(error: BenchmarkError) -> UsageError | Unreachable:
    """Translate a benchmark's error into the error that ends a command."""
    if error.code in (
        "invalid_argument",
        "not_found",
        "failed_precondition",
        "already_exists",
        "unimplemented",
    ):
        return UsageError(error.message)
    return Unreachable(error.message)


def find_solver(name: str) -> SolverSpec:
    if name in SOLVERS:
        return SOLVERS[name]
    kind, colon, given = name.partition(":")
    if colon and kind == "command":
        from controlplane.mcp.program_solver import command_solver

        return command_solver(given)
    if colon and kind == "client":
        msg = f"--agent {name}: only the clients of `controlplane mcp` work on its trials"
        raise UsageError(msg)
    module = _module(name, "agent", name, SOLVERS)
    spec = getattr(module, "SOLVER", None)
    if not isinstance(spec, SolverSpec):
        msg = f"the module {name!r} is not an agent: it has no SOLVER = SolverSpec(...)"
        raise UsageError(msg)
    return spec


def load_rule_sets(names: Sequence[str]) -> tuple[RuleSet, ...]:
    """Return the rule sets of these names, in order. Raises `UsageError`."""
    try:
        for name in names:
            if ":" in name:
                with suppress(ImportError):  # `load_rule_set` says what is wrong.
                    import_named(module_of_rule_set(name))
        return tuple(load_rule_set(name) for name in names)
    except RuleSetError as error:
        raise UsageError(str(error)) from error
    except _FAILURES_OF_OTHERS as error:
        msg = f"the rule sets {', '.join(names)} cannot be loaded: {fault_text(error)}"
        raise UsageError(msg) from error


def embedded_player() -> Model | None:
    """Return the player of the embedded benchmark, which also plays its world on a remote server."""
    with closing(open_benchmark("ecom", {}, BenchmarkContext()).benchmark) as embedded:
        return embedded.player()


def wire_server() -> Any:
    """Return the module that serves a benchmark over the wire. Raises `UsageError` if its extra is not installed."""
    return extra_module("controlplane.benchmarks.bitgn.server", "serving", "serve")


def _module(target: str, kind: str, name: str, registered: Iterable[str]) -> ModuleType:
    try:
        return import_named(name) if target == name else importlib.import_module(target)
    except ModuleNotFoundError as error:
        if error.name and (target == error.name or target.startswith(error.name + ".")):
            hint = f"{did_you_mean(name, registered)} (or the name of an importable module)"
            msg = f"no {kind} {name!r}{hint}"
            raise UsageError(msg) from error
        msg = f"the {kind} {name!r} needs the package {error.name!r}, which is not installed"
        raise UsageError(msg) from error
    except _FAILURES_OF_OTHERS as error:
        msg = f"the {kind} {name!r} cannot be imported: {fault_text(error)}"
        raise UsageError(msg) from error


DISTRIBUTION = "grounded-control-plane"


def package_version() -> str:
    """Return the installed version, or `source` if the package is not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


def _digest(*modules: str) -> str:
    digest = hashlib.sha256()
    for file in (source for module in modules for source in _sources(module)):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources(module: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # its parent package is missing
        spec = None
    if spec is None or spec.origin is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)]
    return _python_files(Path(next(iter(spec.submodule_search_locations))))


def _python_files(folder: Path) -> list[Path]:
    """Return the sources below a package's folder. In a clone, subpackages of `controlplane` are links to folders
    beside it, which `Path.rglob` would leave out."""
    files = []
    for parent, _, names in os.walk(folder, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                files.append(Path(parent, name))
    return sorted(files)


def source_digest(benchmark: str) -> str:
    """Return a hash over all our source and that of the benchmark NAME[:ARGUMENT], and Python's minor version."""
    name = benchmark.partition(":")[0]
    return (
        f"{sys.version_info[:2]}"
        + default_prompts().digest
        + _digest("controlplane", *([] if name in BENCHMARKS else [name]))
    )


def current_versions(
    rule_sets: tuple[str, ...],
    world: str = "",
    prompts: Prompts | None = None,
    functions: tuple[str, ...] = (),
) -> Versions:
    """Return the versions that run here, with these rule sets and world, these prompts or the product's own, and the
    functions of these modules."""
    rules = {_home(module_of_rule_set(rule_set)) for rule_set in rule_sets}
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=_digest("controlplane.gates", *sorted(rules)),
        prompts=(prompts or default_prompts()).digest,
        evidence=_digest("controlplane.agent.evidence", "controlplane.agent.submission"),
        sandbox=_digest("controlplane.sandbox"),
        world=world,
        functions=_digest(*sorted(set(map(_home, functions)))) if functions else "",
    )


def _home(module: str) -> str:
    """Return a module's package, whose other modules it may use; the module itself if it has none."""
    return module.rpartition(".")[0] or module
