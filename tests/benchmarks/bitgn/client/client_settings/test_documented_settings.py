"""The page `docs/remote.md` has a table of all settings of the client, with the default of each."""

from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from tests.support.command import ROOT


def documented_defaults(page: str) -> dict[str, str]:
    """Return the settings of a page's table, whose rows begin with ``| `NAME` | `DEFAULT` |``."""
    defaults: dict[str, str] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1].startswith("`") and cells[2].startswith("`"):
            defaults[cells[1].strip("`")] = cells[2].strip("`")
    return defaults


def test_documentation_has_every_setting_of_the_client_with_its_default() -> None:
    page = (ROOT / "docs" / "remote.md").read_text(encoding="utf-8")

    defaults: dict[str, str] = {}
    for name, field in ClientSettings.model_fields.items():
        if isinstance(field.default, float):
            defaults[name] = f"{field.default:g}"  # 30 for 30.0
        else:
            defaults[name] = str(field.default)
    assert documented_defaults(page) == defaults
