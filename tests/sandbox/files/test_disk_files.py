"""A folder on disk as a script's world."""

import resource

import pytest

from tests.sandbox.script_world import run

pytestmark = pytest.mark.usefixtures("commands_share_servers")


def test_changes_stay_in_an_overlay_unless_write_is_given(folder):
    script = "harness.write('/new/x.txt', 'new')\nharness.delete('/docs/a.txt')\nprint(harness.find('*.txt').paths)"
    assert run(folder, script)["output"] == "['/new/x.txt']\n"
    assert (folder / "docs/a.txt").exists()
    assert not (folder / "new").exists()
    assert run(folder, script, "--write")["output"] == "['/new/x.txt']\n"
    assert not (folder / "docs/a.txt").exists()
    assert (folder / "new/x.txt").read_text() == "new"


def test_no_path_leads_out_of_the_folder(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("SECRET")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "dir").symlink_to(outside)
    script = """
for path in ("/link.txt", "/dir/secret.txt", "/../outside/secret.txt", "/docs/../../secret.txt"):
    for call in (harness.read, harness.stat, lambda p: harness.write(p, "changed"), harness.delete):
        try:
            call(path)
        except Exception as error:
            pass
print(harness.search("SECRET").matches, [e.name for e in harness.list("/").entries])
"""
    assert "SECRET" not in run(folder, script, "--write")["output"]
    assert (outside / "secret.txt").read_text() == "SECRET"


def test_a_tool_gives_up_before_its_answer_takes_much_time_or_memory(folder):
    script = """
harness.write("/big", "ab" * 900_000)
try:
    harness.exec("/bin/cat", ["/big"] * 1_000)
except HarnessError as error:
    print(error.code)
"""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = run(folder, script)
    assert found["output"] == "resource_exhausted\n"
    assert found["elapsed_ms"] < 6_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 96 * 1024


def test_tools_are_the_clock_cat_and_what_is_canned(folder, tmp_path):
    (tmp_path / "id.txt").write_text("clerk-7\n")
    script = """
from datetime import datetime, timezone
print(harness.exec("/bin/date").stdout.strip(), datetime.now(timezone.utc).isoformat())
print(harness.exec("/bin/id").stdout.strip(), harness.exec("/bin/cat", ["/docs/a.txt", "/none"]).exit_code)
print(harness.exec("/bin/cat", ["/docs/a.txt"]).stdout, harness.exec("/bin/cat", stdin="in").stdout)
harness.exec("/bin/nope")
"""
    found = run(folder, script, "--exec", f"/bin/id={tmp_path / 'id.txt'}", "--now", "2026-03-11T10:00:00Z")
    assert found["output"] == "2026-03-11T10:00:00Z 2026-03-11T10:00:00+00:00\nclerk-7 1\nalpha\nbeta\n in\n"
    assert "FileNotFoundError: there is no tool /bin/nope; there are /bin/cat, /bin/date, /bin/id" in found["error"]


def test_an_error_of_the_system_hides_the_place_on_disk(folder):
    script = """
name = "/" + "x" * 300
try:
    harness.write(name, "text")
except HarnessError as error:
    print(error)
print(harness.find("x*").paths)
"""
    assert run(folder, script, "--write")["output"] == "invalid_argument: File name too long\n[]\n"


@pytest.mark.parametrize(
    ("deed", "path", "cited"),
    [
        ("harness.read('/docs/a.txt')", "/docs/a.txt#row=1", "/docs/a.txt#row=1"),
        ("harness.read('/docs/a.txt')", "/docs//a.txt#row=1", "/docs/a.txt#row=1"),
        ("harness.exec('/bin/cat', ['/docs/a.txt'])", "/docs/a.txt", "/docs/a.txt"),
        ("harness.exec('/bin/cat', ['/docs/a.txt', '/none'])", "/docs/a.txt", ""),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt", ""),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt#1", "/docs/a.txt#1"),
        ("harness.write('/docs/a.txt#1', 'x')", "/docs/a.txt#2", ""),
        ("harness.read('/docs/a.txt')", "/docs/b#1", ""),
    ],
)
def test_a_path_is_citable_once_it_was_opened_and_a_name_with_a_fragments_sign_is_a_name(folder, deed, path, cited):
    (folder / "docs/b").write_text("x")
    (folder / "docs/b#1").write_text("x")
    script = f"""
{deed}
try:
    scratchpad.cite({path!r}, "long enough")
except CitationError:
    pass
print(*scratchpad.get("refs_why", []))
"""
    assert run(folder, script)["output"].strip() == cited
