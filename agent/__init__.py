"""One trial: what the model sees, what it says, what its scripts do, and the gated exit."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_face(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return the `__getattr__` of a package, which imports a public name from its home at its first use.

    Whoever needs one name does not wait for the modules of the others. `homes` holds the names by module.
    """

    def public_name(name: str) -> object:
        for home, names in homes.items():
            if name in names:
                return getattr(import_module(f"{package}.{home}"), name)
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return public_name
