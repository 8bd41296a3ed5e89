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
from importlib.abc import Loader
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
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    SystemExit,
    TypeError,
    ValueError,
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

_pinned_folders: Final[dict[str, str]] = {}
"""The folders from which modules and packages are loaded, by name; all others come from the working folder.

`controlplane improve` pins the modules that it changes to the folder of each version (`pin_modules`).
"""


def import_named(name: str) -> ModuleType:
    """Import a module that the user names: an installed one, or one of the working folder, with its neighbours.

    The working folder is not put on `sys.path`, where every library would find its files, too. Instead, a module that
    an import lacks is loaded from the folder by its path, and the import is tried again.
    """
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not _load_missing_module(error):
                raise


def _load_missing_module(error: ModuleNotFoundError) -> bool:
    """Load the top-level module or package that an import lacks from the working folder; return whether it is there.

    Raises what the module raises.
    """
    name = (error.name or "").partition(".")[0]
    if name in sys.modules:
        return False
    try:
        folder = _pinned_folders.get(name) or str(Path.cwd())
        spec = PathFinder.find_spec(name, [folder])
    except OSError:  # The working folder is gone.
        return False
    if spec is None:
        return False

    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        _execute(module, spec.loader)
    except BaseException:
        del sys.modules[name]
        raise
    return True


def _execute(module: ModuleType, loader: Loader | None) -> None:
    """Run a module's code, once more after each module that it lacks and that the working folder has."""
    while loader is not None:  # A folder without `__init__.py` has no loader, and no code.
        try:
            loader.exec_module(module)
            break
        except ModuleNotFoundError as error:
            if not _load_missing_module(error):
                raise


def pin_modules(names: Collection[str], folder: Path) -> None:
    """Take these modules and packages from `folder` from now on, wherever they were imported from before."""
    _pinned_folders.clear()
    for name in names:
        _pinned_folders[name] = str(folder)
    for imported in list(sys.modules):
        if imported.partition(".")[0] in names:
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
    return opened_by(
        module.open_benchmark, argument, settings, context, name=f"the benchmark {spec!r}"
    )


def opened_by(opener: Callable[..., Any], *arguments: Any, name: str) -> OpenedBenchmark:
    """Call a user's function that opens a benchmark, and return the benchmark as a run uses it.

    The function returns an `OpenedBenchmark`, a `Benchmark` without further properties, or an object whose method
    `opened()` returns one of the two, such as a `ToolBenchmark`. `name` names the benchmark in errors.

    Raises `UsageError`, `Unreachable`.
    """
    try:
        returned = opener(*arguments)
        if callable(getattr(returned, "opened", None)):
            returned = returned.opened()
    except BenchmarkError as error:
        raise refused(error) from error
    except _FAILURES_OF_OTHERS as error:
        msg = f"{name} cannot be opened: {fault_text(error)}"
        raise UsageError(msg) from error
    if not isinstance(returned, OpenedBenchmark):
        returned = OpenedBenchmark(returned)
    if not callable(getattr(returned.benchmark, "describe", None)):
        msg = f"{name} opens {returned.benchmark!r:.200}, which has no describe()"
        raise UsageError(msg)
    return returned


def _benchmark_module(spec: str) -> ModuleType:
    """Return the module of the benchmark `NAME[:ARGUMENT]`. Raises `UsageError`."""
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
    benchmark: str, options: Sequence[BenchmarkOption], settings: Mapping[str, str]
) -> None:
    """Raise `UsageError` for an undeclared option, or a value that is not among an option's choices."""
    for name, value in settings.items():
        option = _option_named(name, options)
        if option is None:
            names = [option.name for option in options if not option.secret_variable]
            msg = f"--set {name}: the benchmark {benchmark!r} has no option {name!r}{did_you_mean(name, names)}"
            raise UsageError(msg)
        if option.secret_variable:
            msg = f"--set {name}: a secret is read only from the environment; set {option.secret_variable}"
            raise UsageError(msg)
        if option.choices and value not in option.choices:
            msg = f"--set {name}: there is no {value!r}{did_you_mean(value, option.choices)}"
            raise UsageError(msg)


def _option_named(name: str, options: Iterable[BenchmarkOption]) -> BenchmarkOption | None:
    """Return the option with this name, which for a secret may also be that of its variable; None if there is none."""
    for option in options:
        if name == option.name:
            return option
        if option.secret_variable and name == option.secret_variable:
            return option
    return None


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
    """Return the solver that `--agent` names: one of `SOLVERS`, `command:PROGRAM`, or a module with `SOLVER`.

    Raises `UsageError`.
    """
    if name in SOLVERS:
        return SOLVERS[name]
    if name.startswith("command:"):
        from controlplane.mcp.program_solver import command_solver

        return command_solver(name.removeprefix("command:"))
    if name.startswith("client:"):
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
    """Import the module `target` for the name that the user gave: one of the `registered` names, or a module's own.

    `kind` says in errors what the module should be, such as `agent`. Raises `UsageError`.
    """
    try:
        if target == name:
            return import_named(name)
        return importlib.import_module(target)
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


_DIGEST_CHARS: Final = 16
"""Characters of a digest: enough to tell versions apart; nobody has a reason to forge one."""


def _digest(modules: Iterable[str]) -> str:
    """Return a hash of the source of modules, with all modules of those that are packages."""
    digest = hashlib.sha256()
    for module in modules:
        for file in _sources(module):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:_DIGEST_CHARS]


def _sources(module: str) -> list[Path]:
    """Return the source files of a module, or of a package; none if it is not installed."""
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
    """Return a text that differs if a trial of the benchmark NAME[:ARGUMENT] may run otherwise on another machine.

    It is made of Python's minor version, the prompt texts, all our source and that of a benchmark of the user's.
    """
    modules = ["controlplane"]
    name = benchmark.partition(":")[0]
    if name not in BENCHMARKS:
        modules.append(name)
    python = str(sys.version_info[:2])  # "(3, 11)"
    return python + default_prompts().digest + _digest(modules)


def current_versions(
    rule_sets: tuple[str, ...],
    world: str = "",
    prompts: Prompts | None = None,
    functions: tuple[str, ...] = (),
) -> Versions:
    """Return the versions that run here, with these rule sets and world, these prompts or the product's own, and the
    functions of these modules."""
    rule_packages = {_package_of(module_of_rule_set(rule_set)) for rule_set in rule_sets}
    functions_digest = ""
    if functions:
        function_packages = {_package_of(module) for module in functions}
        functions_digest = _digest(sorted(function_packages))
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=_digest(["controlplane.gates", *sorted(rule_packages)]),
        prompts=(prompts or default_prompts()).digest,
        evidence=_digest(["controlplane.agent.evidence", "controlplane.agent.submission"]),
        sandbox=_digest(["controlplane.sandbox"]),
        world=world,
        functions=functions_digest,
    )


def _package_of(module: str) -> str:
    """Return a module's package, whose other modules it may use; the module itself if it has none."""
    return module.rpartition(".")[0] or module
