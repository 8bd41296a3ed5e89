from pathlib import Path

import pytest

from controlplane.configuration.run_settings import RECORDED, RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("n" * 201, "--name: a run's name has at most 200 characters, and this one has 201"),
        ("a\nb", "no line breaks"),
        ("\x1b[31m", "no control characters"),
        ("last", "cannot be named 'last'"),
    ],
)
def test_a_name_that_no_list_could_show_is_refused(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        resolve({"name": name}, {}, tmp_path)
    assert "\n" not in str(caught.value)
    assert RunSettings.model_validate({"name": name}, context=RECORDED).name == name


@pytest.mark.parametrize(("given", "taken"), [("  first ", "first"), ("   ", ""), ("n" * 200, "n" * 200)])
def test_a_name_is_taken_without_the_spaces_around_it(given: str, taken: str, tmp_path: Path) -> None:
    assert resolve({"name": given}, {}, tmp_path).settings.name == taken
