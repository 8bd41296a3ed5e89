"""Guards of annotations in quotes, such as `x: "list[int]"`, which the library evaluates.

The language policy checks the code of a script, but not the code in such a text. A script could
write `x: "open('/etc/passwd')"`, and have `typing.get_type_hints` evaluate it. So the library
is changed, for the whole process, to evaluate annotations under the policy.
"""

from __future__ import annotations

import sys
from typing import Any

from controlplane.sandbox.child.language.script_compiler import compile_annotation


def guard_quoted_annotations() -> None:
    """Make the library compile and evaluate annotations in quotes under the policy."""
    for name in ("typing", "annotationlib"):
        module = sys.modules.get(name)  # `annotationlib` exists from Python 3.14 on.
        if module is not None:
            # The module calls the builtins `compile` and `eval`. It finds global names
            # of its own before builtins, so it now calls these functions.
            vars(module)["compile"] = compile_annotation
            vars(module)["eval"] = evaluate_annotation
    if "annotationlib" in sys.modules:
        _guard_forward_references(sys.modules["annotationlib"])


def _guard_forward_references(annotationlib: Any) -> None:
    """Make the library look up an annotation such as `x: "environ"` among the script's names.

    From Python 3.14 on, the library looks up a single name without `eval`, in the
    module of the annotated class. That may be a module of the library, which has names
    that a script must not get.
    """
    formats = annotationlib.Format

    def evaluate(
        reference: Any,
        *,
        globals: Any = None,
        locals: Any = None,
        type_params: Any = None,
        owner: Any = None,
        format: Any = formats.VALUE,
    ) -> Any:
        """Do as `annotationlib.ForwardRef.evaluate`, whose parameters have these names.

        `format` says what to return: with STRING, the text of the annotation;
        with VALUE, its value; with FORWARDREF, its value or, if it has none yet,
        the reference itself.
        """
        annotation = reference.__forward_arg__
        if format == formats.STRING:
            return annotation

        global_names = globals
        if global_names is None:
            global_names = vars(sys.modules["__main__"])
        local_names = _local_names(owner, type_params, locals)
        try:
            return evaluate_annotation(
                compile_annotation(annotation), global_names, local_names
            )
        except Exception:
            if format == formats.FORWARDREF:
                return reference
            raise

    annotationlib.ForwardRef.evaluate = evaluate


def _local_names(owner: Any, type_params: Any, local_values: Any) -> dict[str, Any]:
    """Return the local names for evaluating an annotation of the class `owner`.

    They are, from the weakest to the strongest: type parameters, such as the `T` of
    `class Box[T]`; attributes of the class; and `local_values`. If two have the same
    name, the stronger one counts.
    """
    names: dict[str, Any] = {}
    for parameter in type_params or getattr(owner, "__type_params__", ()):
        names[parameter.__name__] = parameter
    if isinstance(owner, type):
        names.update(vars(owner))
    names.update(local_values or {})
    return names


def evaluate_annotation(code: Any, globals: Any = None, locals: Any = None) -> Any:
    """Do the same as `eval`, but with the builtins of scripts.

    The library often passes the global names of one of its own modules. These are left
    out: with them, an annotation could use the modules and builtins of the library, such
    as the real `open`.
    """
    names: dict[str, Any] = {}
    # Local names come last, so that they replace global names, as in `eval`.
    for namespace in (globals, locals):
        if namespace is not None and not _is_library_module(namespace):
            names.update(namespace)
    names["__builtins__"] = vars(sys.modules["__main__"])["__builtins__"]
    return eval(code, names)


def _is_library_module(namespace: Any) -> bool:
    """Return True if a namespace (names with their values) is that of a module of the library.

    The import system sets `__spec__` in every module that it loads. The script's module
    has the name `__main__`.
    """
    return "__spec__" in namespace and namespace.get("__name__") != "__main__"
