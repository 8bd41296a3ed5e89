"""`python -m sandbox`: a script against a folder, as a command."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sandbox import sql
from sandbox.__main__ import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "docs/a.txt").write_text("alpha\nbeta\n")
    (tmp_path / "stock.csv").write_text('sku,qty,price,code\nx,10,1.5,007\ny,3,,12\n"z,z",1,2e1,a\'b\n')
    (tmp_path / "extra.sql").write_text(
        "CREATE TABLE people (id INTEGER, name TEXT);\nINSERT INTO people VALUES (1, 'Ann');\n"
    )
    with sqlite3.connect(tmp_path / "orders.db") as database:
        database.execute("CREATE TABLE orders (id TEXT, total REAL)")
        database.execute("INSERT INTO orders VALUES ('o1', 12.5)")
    database.close()
    (tmp_path / "latin.bin").write_bytes(b"caf\xe9\x00\n")
    return tmp_path


def command(*arguments, script=""):
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(each) for each in arguments], input=script, prog_name="python -m sandbox")


def run(folder, script, *options):
    done = command("run", "--files", folder, "--json", *options, script=script)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_one_json_object_says_what_the_script_did(folder):
    script = """
print(harness.read("/docs/a.txt").content, end="")
scratchpad["n"] = {1, 2}
scratchpad["answer"], scratchpad["outcome"] = "beta", "OUTCOME_OK"
scratchpad.cite("/docs/a.txt", "the second line says beta")
harness.answer(scratchpad, lambda sp: sp["answer"] in "alpha beta" and sp["answer"] != "")
"""
    found = run(folder, script)
    assert found.pop("elapsed_ms") > 0
    assert found == {
        "output": "alpha\nbeta\n",
        "error": None,
        "calls": 1,
        "answered": {
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": {"/docs/a.txt": "the second line says beta"},
            "verify": {"says_yes": True, "error": ""},
            "verify_blanked": {"says_yes": False, "error": ""},
        },
        "scratchpad": {
            "n": [1, 2],
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": {"/docs/a.txt": "the second line says beta"},
        },
    }


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("print('a')\n1 / 0", "ZeroDivisionError: division by zero"),
        ("print('a')\nimport sys\nsys.exit(4)", "SystemExit"),
        ("if", "SyntaxError"),
        ("import os", "harness.read"),
        ("while True: pass", "the step ran longer than 0.5 s"),
        ("x = 'a' * 10 ** 10", "MemoryError"),
        ("harness.read('/none')", "FileNotFoundError: there is no /none"),
        ("harness.answer(scratchpad, 5)", "GateRejection: verify must be a function"),
        ("scratchpad.cite('/docs/a.txt', 'was never read')", "CitationError: /docs/a.txt was not read"),
    ],
)
def test_a_script_that_fails_has_its_error_beside_its_output(folder, script, error):
    found = run(folder, script, "--timeout", "0.5", "--memory", "64")
    assert error in found["error"]
    assert "Traceback" not in found["output"]
    assert found["answered"] is None


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


@pytest.mark.parametrize(
    ("query", "stdout"),
    [
        ("select sku, qty * 2 as twice from stock order by qty", 'sku,twice\n"z,z",2\ny,6\nx,20\n'),
        ("select price, code from stock", "price,code\n1.5,007\n,12\n20.0,a'b\n"),
        (
            "select typeof(qty), typeof(price), typeof(code) from stock limit 1;",
            "typeof(qty),typeof(price),typeof(code)\ninteger,real,text\n",
        ),
        ("select name, total from people, orders", "name,total\nAnn,12.5\n"),
        ("select count(*) from stock where sku = 'none'", "count(*)\n0\n"),
        (
            "select printf('%.2f|%5d|%s', 1.005, 3, null) f, format('%05.1f', 2.25) g, printf(null) h",
            "f,g,h\n1.01|    3|,002.3,\n",
        ),
        ("select trim(' a ') a, trim('xbx', 'x') b, ltrim(55, '5') c, rtrim(null, 'x') d", "a,b,c,d\na,b,,\n"),
        ("pragma table_info(people)", "cid,name,type,notnull,dflt_value,pk\n0,id,INTEGER,0,,0\n1,name,TEXT,0,,0\n"),
    ],
)
def test_sql_answers_in_csv_with_a_header(folder, query, stdout):
    found = run(
        folder, f"r = harness.exec('/bin/sql', stdin={query!r})\nprint(r.stdout, r.stderr, r.exit_code, sep='|')"
    )
    assert found["output"] == f"{stdout}||0\n"


A = "replace(hex(zeroblob(65000)), '00', 'a')"
B = "replace(hex(zeroblob(60000)), '00', 'b') || 'a'"


@pytest.mark.parametrize(
    "query",
    [
        "selec", "select * from nowhere", "", "attach '/etc/passwd' as x", "select load_extension('x')",
        "select 1; select 2",
        "pragma temp_store_directory = '/tmp'", "vacuum into '/tmp/stolen.db'", "select zeroblob(100000000)",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
        "select printf('%.*c', 1000000000, 'x')", "select format('%1000000000d', 1)", f"select {A} like '%' || {B}",
        f"select {A} glob '*' || {B}", f"select trim({A}, {B})",
    ],
)  # fmt: skip
def test_a_query_that_fails_says_so_on_stderr_with_exit_code_one(folder, query, monkeypatch):
    monkeypatch.setattr(sql, "TIME_LIMIT_S", 0.3)
    found = run(
        folder,
        f"r = harness.exec('/bin/sql', [{query!r}])\n"
        "print(r.exit_code, r.stderr.startswith('Error: '), r.stdout == '')",
    )
    assert found["output"] == "1 True True\n"
    assert found["elapsed_ms"] < 2_000


def test_a_query_sees_what_the_script_wrote(folder):
    script = (
        "harness.write('/new.csv', 'a\\n5\\n')\nprint(harness.exec('/bin/sql', stdin='select sum(a) from new').stdout)"
    )
    assert run(folder, script)["output"] == "sum(a)\n5\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "attach database '{}' as p; create table p.t(a); insert into p.t values (1);",
        "vacuum into '{}';",
        "create table a(x);\n/* now */ commit; vacuum into '{}';",
        "rollback;\nrelease file; vacuum into '{}';",
        "end; attach '{}' as p; begin;",
        "pragma temp_store_directory = '{}';",
    ],
)
def test_a_file_of_statements_that_a_script_wrote_reaches_nothing_outside(folder, tmp_path, text):
    stolen = tmp_path / "stolen.db"
    script = f"""
harness.write("/evil.sql", {text.format(stolen)!r})
print(harness.exec("/bin/sql", stdin="select count(*) from people").stdout)
print(harness.exec("/bin/sql", stdin="select * from p.t").exit_code)
"""
    assert run(folder, script)["output"] == "count(*)\n1\n\n1\n"
    assert not stolen.exists()


def test_a_file_of_statements_ends_in_time(folder, monkeypatch):
    monkeypatch.setattr(sql, "TIME_LIMIT_S", 0.3)
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) insert into t select i from n"
    script = f"""
harness.write("/evil.sql", "create table t(i); {endless};")
print(harness.exec("/bin/sql", stdin="select 1").exit_code)
"""
    found = run(folder, script)
    assert found["output"] == "1\n"
    assert found["elapsed_ms"] < 5_000


def test_a_file_that_cannot_be_loaded_is_left_out_and_named(folder):
    (folder / "bad.db").write_text("no database")
    (folder / "bad.sql").write_text("create tabl")
    (folder / "odd.csv").write_text("\ufeffx,x,\n1,2,3\n", encoding="utf-8")
    script = """
print(harness.exec("/bin/sql", stdin="select * from odd").stdout)
print(harness.exec("/bin/sql", stdin="select * from nowhere").stderr)
"""
    assert run(folder, script)["output"].splitlines() == [
        "x,x_2,column_3",
        "1,2,3",
        "",
        "Error: no such table: nowhere",
        "/bad.db was left out: file is not a database",
        '/bad.sql was left out: near "tabl": syntax error',
        "",
    ]


@pytest.mark.parametrize(
    "call",
    [
        "harness.exec('/bin/cat', ['/big'] * 50_000)",
        "harness.exec('/bin/sql', stdin='select ' + ','.join(['a'] * 150) + ' from (select hex(zeroblob(60000)) a)')",
        "harness.search('(a|b)*c(d|e)*f(g|h)*i', limit=0)",
    ],
)
def test_a_tool_gives_up_before_its_answer_takes_much_time_or_memory(folder, call):
    script = f"""
for number in range(3):
    harness.write("/big" + str(number or ""), "ab" * 900_000)
try:
    print({call}.exit_code)
except HarnessError as error:
    print(error.code)
"""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = run(folder, script)
    assert found["output"] in ("1\n", "resource_exhausted\n")
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
    assert (
        "FileNotFoundError: there is no tool /bin/nope; there are /bin/cat, /bin/date, /bin/id, /bin/sql"
        in found["error"]
    )


def test_two_runs_give_the_same_bytes(folder):
    script = (
        "import random, uuid, time\nprint({'a', None}, random.random(), uuid.uuid4(), time.time(), object())\n1 / 0"
    )
    first, second = run(folder, script), run(folder, script)
    first.pop("elapsed_ms"), second.pop("elapsed_ms")
    assert first == second


def test_the_module_runs_as_a_process_of_its_own_from_standard_input(folder):
    done = subprocess.run(
        [sys.executable, "-m", "sandbox", "run", "--files", folder, "--json"],
        input="print(harness.list('/docs').entries[0].name)", capture_output=True, text=True, cwd=ROOT, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["output"] == "a.txt\n"
    assert done.stderr == ""


def test_without_json_output_and_error_go_their_own_ways(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('out')\nraise ValueError('bad')")
    done = command("run", script)
    assert (done.exit_code, done.stdout) == (0, "out\n")
    assert "ValueError: bad" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["run", "/no/such/script.py"], "No such file"),
        (["run", "--files", "/no/such/folder"], "does not exist"),
        (["run", "--timeout", "0"], "not above 0"),
        (["run", "--timeout", "soon"], "not a valid float"),
        (["run", "--memory", "-1"], "not above 0"),
        (["run", "--walls", "paper"], "language, process, kernel"),
        (["run", "--exec", "bin=x"], "/bin/tool=FILE"),
        (["run", "--exec", "/bin/x=/no/such"], "No such file"),
        (["run", "--now", "yesterday"], "ISO date"),
        (["run", "--nope"], "No such option"),
        (["jump"], "No such command"),
    ],
)
def test_wrong_usage_is_exit_code_two_and_one_clear_line(arguments, word):
    done = command(*arguments)
    assert done.exit_code == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_required_wall_that_is_down_is_another_exit_code():
    done = command("run", "--walls", "language", "--require-walls", "language,kernel", script="print(1)")
    assert done.exit_code == 3
    assert "required walls do not stand: kernel" in done.stderr
    assert done.stdout == ""
    assert (
        command("run", "--walls", "language,process", "--require-walls", "process", script="print(1)").stdout == "1\n"
    )


def test_the_doctor_says_which_walls_stand():
    report = json.loads(command("doctor", "--json").stdout)
    assert report["walls"]["language"] is True
    assert report["walls"]["process"] is True
    assert all(part["stands"] or (part["reason"] and part["how"]) for part in report["kernel"].values())
    text = command("doctor").stdout
    for word in ("language", "process", "kernel"):
        assert word in text


def test_the_doctor_tells_how_to_raise_a_wall_that_is_down():
    from sandbox.doctor import lines
    from sandbox.walls import Wall, WallReport

    parts = {"user namespace": "unshare: EPERM", "landlock": "ENOSYS", "seccomp": "", "no_new_privs": ""}
    text = "\n".join(lines(WallReport(frozenset({Wall.LANGUAGE, Wall.PROCESS}), parts)))
    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text


@pytest.mark.parametrize("option", ["--timeout", "--memory"])
@pytest.mark.parametrize("value", ["nan", "inf", "-1", "0", "1e300", "99999999999999"])
def test_a_limit_that_is_none_is_a_usage_error(option, value):
    done = command("run", option, value, script="print(1)")
    assert done.exit_code == 2
    assert f"Invalid value for '{option}'" in done.stderr


@pytest.mark.parametrize("options", [[], ["--write"]])
def test_what_the_system_objects_to_is_told_without_the_place_on_disk(folder, options):
    script = """
name = "/" + "x" * 300
for attempt in (
    lambda: harness.read(name),
    lambda: harness.list(name),
    lambda: harness.tree(name),
    lambda: harness.find("*", root=name),
    lambda: harness.search("x", root=name),
    lambda: harness.stat(name),
    lambda: harness.write(name, "text"),
    lambda: harness.delete(name),
    lambda: harness.exec("/bin/cat", args=[name]),
):
    try:
        attempt()
    except HarnessError as error:
        print(error)
"""
    told = run(folder, script, *options)["output"].splitlines()
    assert told == ["invalid_argument: File name too long"] * 9


def test_links_in_a_circle_are_not_there(folder):
    (folder / "circle").symlink_to("circle")
    script = """
print([each.name for each in harness.list("/docs").entries])
try:
    harness.read("/circle")
except FileNotFoundError as error:
    print(error)
"""
    assert run(folder, script)["output"] == "['a.txt']\nthere is no /circle\n"
