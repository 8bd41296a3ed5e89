"""A user's project that has packages called `agent`, `gates` and so on, as the product has.

The product is installed as `controlplane`, so that `import agent` in this project is the user's own
package. Each of them writes its name into a file when it is imported, as
`users_packages_imported_by` returns.
"""

import os
import zipfile
from pathlib import Path

from tests.support.command import run_python


def users_packages_imported_by(
    project: Path, wheel: Path, words: list[str]
) -> set[str]:
    """Run Python in a project where the wheel is installed; return which of the user's packages
    any process has imported."""
    site = project / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    log = project / "imported.log"
    log.touch()

    result = run_python(
        *words,
        cwd=project,
        PYTHONPATH=os.pathsep.join([str(site), str(project)]),
        IMPORT_LOG=str(log),
        HOME=str(project),
    )

    assert result.code == 0, result.out + result.err
    return set(log.read_text().split())
