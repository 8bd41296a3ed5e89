"""A declaration survives its way through a journal; an older one says nothing of files."""

import json
from dataclasses import replace

import pytest

from benchmarks.bitgn.wire.remote_runtimes import ECOM
from benchmarks.ecom.runtime.shop_surface import SURFACE
from controlplane.journal.surface_json import KEPT, surface_from_text, surface_to_text
from sandbox.interface import Surface


@pytest.mark.parametrize("surface", [SURFACE, ECOM.surface])
def test_a_declaration_comes_back_as_it_was(surface: Surface) -> None:
    assert surface_from_text(surface_to_text(surface)) == surface


def test_each_of_many_declarations_has_its_own_text() -> None:
    surfaces = [replace(SURFACE, rules_document=f"/{number}.md") for number in range(2 * KEPT)]
    for _ in range(2):
        assert [surface_from_text(surface_to_text(each)).rules_document for each in surfaces] == [
            each.rules_document for each in surfaces
        ]
    assert surface_to_text(surfaces[-1]) is surface_to_text(surfaces[-1])


def test_a_tool_of_an_older_journal_opens_no_files() -> None:
    fields = json.loads(surface_to_text(SURFACE))
    for each in fields["executables"]:
        del each["files"]
    assert all(each.files is None for each in surface_from_text(json.dumps(fields)).executables)


def test_an_operation_of_an_older_journal_has_no_exit_code() -> None:
    fields = json.loads(surface_to_text(SURFACE))
    for each in fields["operations"]:
        del each["exit_field"]
    assert not any(each.takes_check for each in surface_from_text(json.dumps(fields)).operations)
    assert any(each.takes_check for each in SURFACE.operations)
