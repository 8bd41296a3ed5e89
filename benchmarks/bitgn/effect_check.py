"""How to find out if a write or delete happened whose reply was lost.

After a lost reply of `write("/a.md", "text")`, the file is read: if it has this text, the
write has happened. After a lost `delete`, the path is looked for: if nothing is there, the
delete has happened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.sandbox.interface import Plain

Fields: TypeAlias = Mapping[str, Plain]


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """How to find out if a write or delete whose reply was lost has happened."""

    method: str
    """The method of the protocol that looks at the path."""
    has_happened: Callable[[Fields, Fields | None], bool]
    """Returns True if the path looks as it should after the call.

    Its parameters are the arguments of the call, and the reply of `method`, which is None
    if nothing is at the path.
    """


def _is_written(arguments: Fields, file: Fields | None) -> bool:
    """Return True if the file has the content that was to be written.

    Its hash decides, because a long file is cut. Should the reply have none, the content does.
    """
    if file is None:
        return False
    content = str(arguments.get("content", ""))
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return file.get("sha256") == sha256 or file.get("content", "") == content


def _is_deleted(arguments: Fields, file: Fields | None) -> bool:
    """Return True if nothing is at the path any more."""
    return file is None


EFFECT_CHECKS: Final = {
    "write": EffectCheck("Read", _is_written),
    "delete": EffectCheck("Stat", _is_deleted),
}
"""How the effect of an operation is found out. Others have none, or nothing shows it."""
