"""Finds benchmarks, solvers and rule sets by name.

A name is one of the product's own, such as `ecom`, or that of an importable module, such as
`my_bank` for `my_bank.py` in the working folder. A fault of such a module becomes an error
that tells the user what to change in it.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import importlib.util
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    OpenedBenchmark,
)
from controlplane.configuration.folder_imports import import_named
from controlplane.configuration.run_names import belongs_to_a_program
from controlplane.errors import (
    Unreachable,
    UsageError,
    did_you_mean,
    extra_module,
    fault_text,
)
from controlplane.gates.rule_set_loading import (
    RuleSetError,
    RuleSetName,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.rules import RuleSet
from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
    Outcomes,
    names_platform_outcome,
)
from controlplane.solver import SOLVERS, SolverSpec

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
"""Exceptions of a user's module, while it is imported or opened, that become a `UsageError`.

`MemoryError` and `KeyboardInterrupt`, among others, are not the module's fault.
"""

# A folder of `benchmarks` that is not among them is what several of them share.
BENCHMARKS: Final = {
    "ecom": "controlplane.benchmarks.ecom.ecom_benchmark",
    "bitgn": "controlplane.benchmarks.bitgn.client.remote_benchmark",
    "folder": "controlplane.benchmarks.folder.folder_benchmark",
    "files": "controlplane.benchmarks.files.files_benchmark",
    "inspect": "controlplane.benchmarks.inspect.inspect_benchmark",
    "harbor": "controlplane.benchmarks.harbor.harbor_benchmark",
}


def options_of(spec: str) -> tuple[BenchmarkOption, ...]:
    """Return the options that the benchmark `NAME[:ARGUMENT]` declares, secret ones included.

    Raises `UsageError`.
    """
    return _options_in(_benchmark_module(spec))


def _options_in(module: ModuleType) -> tuple[BenchmarkOption, ...]:
    """Return the `OPTIONS` of a benchmark's module. Raises `UsageError`."""
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
    _check_options(name, _options_in(module), settings)
    return open_by(
        module.open_benchmark,
        argument,
        settings,
        context,
        subject=f"the benchmark {spec!r}",
    )


def clean_up(
    spec: str, settings: Mapping[str, str], *, open_trials: bool
) -> Iterator[str]:
    """Remove what a benchmark's runs have left on this machine, and yield a line for each part.

    With `open_trials`, also what a resumed run could go on with. Raises `UsageError` for a
    benchmark that leaves nothing.
    """
    module = _benchmark_module(spec)
    name = spec.partition(":")[0]
    _check_options(name, _options_in(module), settings)
    clean = getattr(module, "clean_up", None)
    if clean is None:
        msg = f"runs of {name} leave nothing on this machine but their journals"
        raise UsageError(msg)
    try:
        yield from clean(settings, open_trials=open_trials)
    except BenchmarkError as error:
        raise as_command_error(error) from error


def open_by(
    opener: Callable[..., Any], *arguments: Any, subject: str
) -> OpenedBenchmark:
    """Call a function that opens a benchmark, and return its result as an `OpenedBenchmark`.

    The function may return:

    - an `OpenedBenchmark`,
    - a plain `Benchmark`, which has a method `describe()`,
    - an object whose method `opened()` returns one of these, such as a `ToolBenchmark`.

    `subject` begins error messages, as in `SUBJECT cannot be opened`. Raises
    `UsageError` and `Unreachable`.
    """
    try:
        returned = opener(*arguments)
        code = returned
        if callable(getattr(returned, "opened", None)):
            returned = returned.opened()
    except BenchmarkError as error:
        raise as_command_error(error) from error
    except _FAILURES_OF_USER_CODE as error:
        msg = f"{subject} cannot be opened: {fault_text(error)}"
        raise UsageError(msg) from error

    if not isinstance(returned, OpenedBenchmark):
        returned = OpenedBenchmark(returned)
    if returned.outcomes is None:
        if isinstance(code, OpenedBenchmark):
            code = code.benchmark
        returned = replace(returned, outcomes=undeclared_outcomes(code))
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
    """Raise `UsageError` for an undeclared option, or a value that is not one of its choices.

    `options` are those that the benchmark declares, and `settings` the values of `--set`. A secret may
    not be given there, since these values are written to the journal.
    """
    # A secret option can also be named by its environment variable.
    known = {
        option.secret_variable: option for option in options if option.secret_variable
    }
    known |= {option.name: option for option in options}
    for name, value in settings.items():
        option = known.get(name)
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


_CODES_OF_WRONG_INPUT: Final = (
    "invalid_argument",
    "not_found",
    "failed_precondition",
    "already_exists",
    "unimplemented",
)
"""Codes of errors that the user can mend. All others concern the benchmark's connection."""


def as_command_error(error: BenchmarkError) -> UsageError | Unreachable:
    """Return the error that ends a command because of this error of a benchmark.

    `not_found` and other mistakes of the user -> `UsageError`; `unavailable` -> `Unreachable`.
    """
    if error.code in _CODES_OF_WRONG_INPUT:
        return UsageError(error.message)
    return Unreachable(error.message)


def find_solver(name: str) -> SolverSpec:
    """Return the solver that `--agent` names.

    The name is one of `SOLVERS`, `command:PROGRAM`, or a module with `SOLVER`. Raises
    `UsageError`.
    """
    if name in SOLVERS:
        return SOLVERS[name]
    if name.startswith("command:"):
        from controlplane.mcp.programs import command_solver

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


def load_rule_sets(names: Sequence[RuleSetName]) -> tuple[RuleSet, ...]:
    """Return the rule sets with these names, in order: `["ecom", "my_rules:RULE_SET"]`.

    Raises `UsageError` for a name without a rule set, and if the user's module cannot be imported.
    """
    try:
        for name in names:
            if ":" in name:  # `my_rules:RULE_SET`
                # `load_rule_set` finds only modules that are installed or imported already.
                # This import also finds them in the working folder. If it fails,
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
    """Return the player of the benchmark `ecom`: a program that plays its tasks without a model.

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

    - `name`: one of the `registered` names,
      or a module's own, such as `my_package.my_module`.
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
        # Python names what is missing. If that is `my_package`, then
        # `my_package.my_module` is missing, too.
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


# Which outcomes the trials of a benchmark have that declares none.
#
# Usually these are the general ones. If the benchmark's own code or data names an outcome that only the
# platform has, such as `OUTCOME_DENIED_SECURITY`, its graders may demand it: then they are the platform's.

_PRODUCTS_BENCHMARKS: Final = "controlplane.benchmarks."
_MAX_VALUES: Final = 200_000
"""No more values are looked at: a benchmark may hold any amount of data."""


def undeclared_outcomes(benchmark: object) -> Outcomes:
    """Return the outcomes of a benchmark, given as the object that its module has made.

    Looked at are its attributes, its class, and the modules of the user's that they come from.
    """
    own_module = type(benchmark).__module__
    if own_module.startswith(_PRODUCTS_BENCHMARKS):
        return GENERAL_OUTCOMES  # One with other outcomes declares them.
    package = own_module.partition(".")[0]
    pending = [type(benchmark), *gc.get_referents(benchmark)]
    seen: set[int] = set()
    while pending and len(seen) < _MAX_VALUES:
        value = pending.pop()
        if isinstance(value, str):
            if names_platform_outcome(value):
                return PLATFORM_OUTCOMES
        elif id(value) not in seen:
            seen.add(id(value))
            pending += _parts_of(value, package)
    return GENERAL_OUTCOMES


def _parts_of(value: object, package: str) -> Iterable[object]:
    """Return what a value holds or uses: items, attributes, constants of code, and its module.

    Of values that are neither plain data, the user's, nor a task of the product's, nothing is
    returned. No code of the value runs. `package` is the benchmark's own, even if it is installed.
    """
    if isinstance(value, CodeType):
        return value.co_consts
    if isinstance(value, _HOLDERS):
        return gc.get_referents(value)
    module: ModuleType | None
    if isinstance(value, ModuleType):
        module = value
    else:
        has_module = isinstance(value, type | FunctionType)
        module = sys.modules.get((value if has_module else type(value)).__module__)
    if module is None:
        return ()
    if _is_users(module, package):
        return [*gc.get_referents(value), module]
    is_products = module.__name__.startswith("controlplane.")
    is_task = is_products and dataclasses.is_dataclass(value)
    return gc.get_referents(value) if is_task and not isinstance(value, type) else ()


_HOLDERS: Final = (
    dict,
    list,
    tuple,
    set,
    frozenset,
    staticmethod,
    classmethod,
    property,
    CellType,
    MethodType,
)
"""Values that only hold others."""
_INSTALLED_FOLDERS: Final = tuple(
    sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")
)


def _is_users(module: ModuleType, package: str) -> bool:
    """Return True for a module of the benchmark's package, and for one that is not installed."""
    top_name = module.__name__.partition(".")[0]
    if top_name in ("controlplane", package):
        return top_name != "controlplane"
    file = getattr(module, "__file__", None)
    if not file:  # a built-in module, or a program that is typed in
        return module.__name__ == "__main__"
    return not file.startswith(_INSTALLED_FOLDERS)
