"""How to find out if a write or delete happened whose reply was lost.

After a lost reply of `write("/a.md", "text")`, the file is read: if it has this text, the
write has happened. After a lost `delete`, the path is looked for: if nothing is there, the
delete has happened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class EffectCheck:
    """How to find out if a write or delete whose reply was lost has happened: read its path."""

    method: str
    """The method that reads the path."""
    content_parameter: str = ""
    """The parameter of a write that holds the file's new content; empty for a delete."""

    def has_happened(
        self, arguments: Mapping[str, Plain], file: Mapping[str, Plain] | None
    ) -> bool:
        """Return True if the path looks as it should after the write or delete.

        `file` is the reply of the method that reads the path; None if nothing is there.
        """
        is_delete = not self.content_parameter
        if is_delete:
            return file is None
        content = str(arguments.get(self.content_parameter, ""))
        return file is not None and _has_content(file, content)


def _has_content(reply: Mapping[str, Plain], content: str) -> bool:
    """Return True if `reply`, that of the method Read, shows that the file has this content.

    The reply has the file's hash, because a long file is cut. Should it have none, the
    content decides.
    """
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()
    return reply.get("sha256") == sha256 or reply.get("content", "") == content


EFFECT_CHECKS: Final = {
    "write": EffectCheck(method="Read", content_parameter="content"),
    "delete": EffectCheck(method="Stat"),
}
"""How a lost effect is found out: after a write, the file is read; after a delete, looked for."""
