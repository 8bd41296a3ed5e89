"""One trial: what the model sees and says, what its scripts do, and the gated submission."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_face(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], object]:
    """Return a `__getattr__` for a package that imports a public name from its module at the name's first use.

    An import of one name then does not load the modules of the others. `homes` holds the names by module.
    """

    def public_name(name: str) -> object:
        for home, names in homes.items():
            if name in names:
                return getattr(import_module(f"{package}.{home}"), name)
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return public_name
