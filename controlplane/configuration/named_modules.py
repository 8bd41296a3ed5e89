"""Finds benchmarks, solvers and rule sets by name, and computes the versions of what is
installed.

A name is either one of the product's own or that of an importable module.
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
from typing import Any, Final, TypeVar

from controlplane.agent.loop import Prompts, default_prompts
from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    OpenedBenchmark,
)
from controlplane.configuration.continuation import belongs_to_a_program
from controlplane.errors import (
    Unreachable,
    UsageError,
    did_you_mean,
    extra_module,
    fault_text,
)
from controlplane.gates.rule_set_loading import (
    RuleSetError,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.rules import RuleSet
from controlplane.journal.run_events import Versions
from controlplane.solver import SOLVERS, SolverSpec

_A = TypeVar("_A")
_R = TypeVar("_R")

_FAILURES_OF_USER_CODE: Final = (
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
"""Exceptions of a user's module, while it is imported or opened, that become a
`UsageError`.

`MemoryError` and `KeyboardInterrupt`, among others, are not the module's fault.
"""

BENCHMARKS: Final = {
    "ecom": "controlplane.benchmarks.ecom.ecom_benchmark",
    "bitgn": "controlplane.benchmarks.bitgn.client.remote_benchmark",
    "folder": "controlplane.benchmarks.folder.folder_benchmark",
    "files": "controlplane.benchmarks.files.files_benchmark",
    "inspect": "controlplane.benchmarks.inspect.inspect_benchmark",
    "harbor": "controlplane.benchmarks.harbor.harbor_benchmark",
}

_pinned_folders: Final[dict[str, str]] = {}
"""For each pinned module or package, the folder from which it is loaded, instead of the
working folder. Only `pin_modules` changes this.

`controlplane improve` pins the modules that it has changed to the folder with the
changed version.
"""


def import_named(name: str) -> ModuleType:
    """Import an installed module, or one in the working folder, which may import others
    from there.

    The working folder is not added to `sys.path`, because then any library could import
    its files by mistake. Instead, when an import fails, the missing module is loaded
    from the folder by its path, and the import is tried again.
    """
    return _call_with_folder_modules(importlib.import_module, name)


def _call_with_folder_modules(function: Callable[[_A], _R], argument: _A) -> _R:
    """Return `function(argument)`, which may import modules of the working folder.

    After each import that fails, the missing module is loaded, and the function is
    called again. This ends, because every repeated call finds one more module in
    `sys.modules`.
    """
    while True:
        try:
            return function(argument)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            # If `a` is imported already, only its part `a.b` is missing. Loading `a`
            # again would not help.
            if missing in sys.modules or not _load_from_folder(missing):
                raise


def _load_from_folder(name: str) -> bool:
    """Load a top-level module or package from the working folder. Return False if it is
    not there.

    Raises any exception of the module's code.
    """
    try:
        folder = _pinned_folders.get(name) or str(Path.cwd())
        spec = PathFinder.find_spec(name, [folder])
    except OSError:  # The working folder is gone.
        return False
    if spec is None:
        return False

    module = module_from_spec(spec)
    sys.modules[name] = module
    if spec.loader is None:  # A package without `__init__.py` has no code to run.
        return True
    try:
        # The module may import another one of the folder. That one is then loaded, and
        # the code of this one runs again from its beginning.
        _call_with_folder_modules(spec.loader.exec_module, module)
    except BaseException:
        del sys.modules[name]
        raise
    return True


def pin_modules(names: Collection[str], folder: Path) -> None:
    """Load these modules and packages from `folder` from now on, and forget imported
    versions."""
    _pinned_folders.clear()
    for name in names:
        _pinned_folders[name] = str(folder)
    for imported in list(sys.modules):
        if imported.partition(".")[0] in names:
            del sys.modules[imported]
    importlib.invalidate_caches()


def options_of(spec: str) -> tuple[BenchmarkOption, ...]:
    """Return the options that the benchmark `NAME[:ARGUMENT]` declares, secret ones
    included.

    Raises `UsageError`.
    """
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
        module.open_benchmark,
        argument,
        settings,
        context,
        subject=f"the benchmark {spec!r}",
    )


def opened_by(
    opener: Callable[..., Any], *arguments: Any, subject: str
) -> OpenedBenchmark:
    """Call a function that opens a benchmark, and return its result as an
    `OpenedBenchmark`.

    The function may return:

    - an `OpenedBenchmark`,
    - a plain `Benchmark`, which has a method `describe()`,
    - an object whose method `opened()` returns one of these, such as a `ToolBenchmark`.

    `subject` begins error messages, as in `SUBJECT cannot be opened`. Raises
    `UsageError` and `Unreachable`.
    """
    try:
        returned = opener(*arguments)
        if callable(getattr(returned, "opened", None)):
            returned = returned.opened()
    except BenchmarkError as error:
        raise as_command_error(error) from error
    except _FAILURES_OF_USER_CODE as error:
        msg = f"{subject} cannot be opened: {fault_text(error)}"
        raise UsageError(msg) from error

    if not isinstance(returned, OpenedBenchmark):
        returned = OpenedBenchmark(returned)
    if not callable(getattr(returned.benchmark, "describe", None)):
        msg = f"{subject} opens {returned.benchmark!r:.200}, which has no describe()"
        raise UsageError(msg)
    return returned


def _benchmark_module(spec: str) -> ModuleType:
    """Return the module of the benchmark `NAME[:ARGUMENT]`. Raises `UsageError`."""
    name = spec.partition(":")[0]
    if not name:
        msg = f"no benchmark is named in {spec!r}; known: {', '.join(BENCHMARKS)}"
        raise UsageError(msg)
    if belongs_to_a_program(spec):
        msg = (
            "the tasks of this run are objects of a Python program: continue it there, by "
            "controlplane.run(TASKS, resume=JOURNAL)"
        )
        raise UsageError(msg)
    module = _import_by_name(name, "benchmark", BENCHMARKS, target=BENCHMARKS.get(name))
    if not hasattr(module, "open_benchmark"):
        msg = f"the module {name!r} is not a benchmark: it has no open_benchmark(argument, settings, context)"
        raise UsageError(msg)
    return module


def _check_options(
    benchmark: str, options: Sequence[BenchmarkOption], settings: Mapping[str, str]
) -> None:
    """Raise `UsageError` for an undeclared option, or a value that is not one of its
    choices."""
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


def _option_named(
    name: str, options: Iterable[BenchmarkOption]
) -> BenchmarkOption | None:
    """Return the option with this name; None if there is none.

    A secret option can also be named by its environment variable.
    """
    for option in options:
        if name == option.name:
            return option
        if option.secret_variable and name == option.secret_variable:
            return option
    return None


_CODES_OF_WRONG_INPUT: Final = (
    "invalid_argument",
    "not_found",
    "failed_precondition",
    "already_exists",
    "unimplemented",
)
"""Codes of a `BenchmarkError` that the user can mend; all others concern the
connection."""


def as_command_error(error: BenchmarkError) -> UsageError | Unreachable:
    """Return the error that ends a command because of this error of a benchmark."""
    if error.code in _CODES_OF_WRONG_INPUT:
        return UsageError(error.message)
    return Unreachable(error.message)


def find_solver(name: str) -> SolverSpec:
    """Return the solver that `--agent` names: one of `SOLVERS`, `command:PROGRAM`, or a
    module with `SOLVER`.

    Raises `UsageError`.
    """
    if name in SOLVERS:
        return SOLVERS[name]
    if name.startswith("command:"):
        from controlplane.mcp.program_solver import command_solver

        return command_solver(name.removeprefix("command:"))
    if name.startswith("client:"):
        msg = (
            f"--agent {name}: only the clients of `controlplane mcp` work on its trials"
        )
        raise UsageError(msg)
    module = _import_by_name(name, "agent", SOLVERS)
    spec = getattr(module, "SOLVER", None)
    if not isinstance(spec, SolverSpec):
        msg = f"the module {name!r} is not an agent: it has no SOLVER = SolverSpec(...)"
        raise UsageError(msg)
    return spec


def load_rule_sets(names: Sequence[str]) -> tuple[RuleSet, ...]:
    """Return the rule sets with these names, in order. Raises `UsageError`."""
    try:
        for name in names:
            if ":" in name:
                # The import also finds modules in the working folder. If it fails,
                # `load_rule_set` raises an error with the reason.
                with suppress(ImportError):
                    import_named(module_of_rule_set(name))
        return tuple(load_rule_set(name) for name in names)
    except RuleSetError as error:
        raise UsageError(str(error)) from error
    except _FAILURES_OF_USER_CODE as error:
        msg = f"the rule sets {', '.join(names)} cannot be loaded: {fault_text(error)}"
        raise UsageError(msg) from error


def embedded_player() -> Model | None:
    """Return the player (a program without a model) of the embedded benchmark.

    It can also play the same tasks on a remote server.
    """
    with closing(open_benchmark("ecom", {}, BenchmarkContext()).benchmark) as embedded:
        return embedded.player()


def wire_server() -> Any:
    """Return the module that serves a benchmark over the network.

    Raises `UsageError` if the extra packages that it needs are not installed.
    """
    return extra_module("controlplane.benchmarks.bitgn.server", "serving", "serve")


def _import_by_name(
    name: str, kind: str, registered: Iterable[str], *, target: str | None = None
) -> ModuleType:
    """Import the module that the user named. Raises `UsageError`.

    - `name`: one of the `registered` names, or a module's own, such as
      `my_package.my_module`.
    - `kind`: what the module should be, for error messages, such as `agent`.
    - `target`: the module of a registered name.
    """
    module = target or name
    try:
        if module == name:
            return import_named(name)
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        # `my_package.my_module` itself is missing if `my_package` is, too.
        is_itself_missing = module == missing or module.startswith(missing + ".")
        if missing and is_itself_missing:
            hint = f"{did_you_mean(name, registered)} (or the name of an importable module)"
            msg = f"no {kind} {name!r}{hint}"
            raise UsageError(msg) from error
        msg = f"the {kind} {name!r} needs the package {error.name!r}, which is not installed"
        raise UsageError(msg) from error
    except _FAILURES_OF_USER_CODE as error:
        msg = f"the {kind} {name!r} cannot be imported: {fault_text(error)}"
        raise UsageError(msg) from error


# Versions


DISTRIBUTION = "grounded-control-plane"


def package_version() -> str:
    """Return the installed version, or `source` if the package is not installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "source"


_DIGEST_CHARS: Final = 16
"""The length of a digest. It need not withstand forgery, so 64 bits are enough."""


def _digest(modules: Iterable[str]) -> str:
    """Return a hash of the source of these modules and packages."""
    digest = hashlib.sha256()
    for module in modules:
        for file in _sources(module):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:_DIGEST_CHARS]


def _sources(module: str) -> list[Path]:
    """Return the source files of a module or package; an empty list if it is not
    installed."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:  # Its parent package is missing.
        spec = None
    if spec is None or spec.origin is None:
        return []
    if not spec.submodule_search_locations:
        return [Path(spec.origin)]
    return _python_files(Path(next(iter(spec.submodule_search_locations))))


def _python_files(folder: Path) -> list[Path]:
    """Return the Python files below a package's folder.

    In a clone of the repository, some subpackages of `controlplane` are symbolic links,
    which `Path.rglob` does not follow.
    """
    files = []
    for parent, _, names in os.walk(folder, followlinks=True):
        for name in names:
            if name.endswith(".py"):
                files.append(Path(parent, name))
    return sorted(files)


def source_digest(benchmark: str) -> str:
    """Return a digest that is equal on two machines if trials of a benchmark run the
    same on both.

    `benchmark` is NAME[:ARGUMENT]. The digest covers Python's minor version, the prompt
    texts, the product's source, and the source of a benchmark that is not the
    product's.
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
    """Return the installed versions, as a journal records them.

    - `world`: the version of the benchmark's worlds.
    - `prompts`: the prompt texts. None: the product's own.
    - `functions`: the modules of the benchmark's functions.
    """
    rule_packages = {
        _package_of(module_of_rule_set(rule_set)) for rule_set in rule_sets
    }
    functions_digest = ""
    if functions:
        function_packages = {_package_of(module) for module in functions}
        functions_digest = _digest(sorted(function_packages))
    return Versions(
        controlplane=package_version(),
        python=platform.python_version(),
        gates=_digest(["controlplane.gates", *sorted(rule_packages)]),
        prompts=(prompts or default_prompts()).digest,
        evidence=_digest(
            [
                "controlplane.agent.evidence",
                "controlplane.agent.gated_exit",
                "controlplane.agent.submission",
            ]
        ),
        sandbox=_digest(["controlplane.sandbox"]),
        world=world,
        functions=functions_digest,
    )


def _package_of(module: str) -> str:
    """Return a module's package, or the module itself if it is in none.

    The digest covers the whole package, because the module may use its other modules.
    """
    return module.rpartition(".")[0] or module
