"""The user's key, by which the lines of this user's journals are signed.

It is a file in the user's state folder, which only the user may read. The first run makes it.
"""

import os
import stat
from pathlib import Path

import pytest

from controlplane.journal.state_files import KEY_FILE, made_key, own_key, state_path


@pytest.fixture
def new_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the user's state folder, in which the key is, be new and empty."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_is_made_once_and_only_its_user_may_read_it() -> None:
    """`made_key` makes the key if there is none, and `own_key` only reads it."""
    assert own_key() is None

    key = made_key()

    assert key is not None
    assert made_key() == key
    assert own_key() == key
    key_path = state_path(KEY_FILE)
    assert stat.S_IMODE(key_path.stat().st_mode) == 0o600
    assert list(key_path.parent.iterdir()) == [key_path]


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_that_others_may_read_is_not_used() -> None:
    """Others could sign journals with it. None is then signed."""
    made_key()
    state_path(KEY_FILE).chmod(0o640)

    assert own_key() is None
    assert made_key() is None


@pytest.mark.usefixtures("new_state_folder")
def test_a_key_file_that_is_a_pipe_is_not_read() -> None:
    """Reading it would never end."""
    made_key()
    state_path(KEY_FILE).unlink()
    os.mkfifo(state_path(KEY_FILE))

    assert own_key() is None
    assert made_key() is None
