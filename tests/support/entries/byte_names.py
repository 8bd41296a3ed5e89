"""Names of functions, methods and modules that take in bytes, by what they do.

`KIND_OF_CALL["read_text"]` is `file`, and `KIND_OF_MODULE["socket"]` is `socket`.
"""

CALLS = {
    "file": "open read_bytes read_text open_regular byte_stream read_whole iterdir scandir walk glob rglob",
    "process": "Popen run check_output open_process execv execve execvp system posix_spawn",
    "socket": "recv recv_into accept urlopen create_connection create_server open_connection socketpair AsyncClient",
    "import": "import_module exec eval compile __import__ exec_module run_path run_module",
    "decode": "loads load safe_load parse_json parse_toml parse_yaml read_json from_json literal_eval FromString ParseDict unpack",
}
"""Names of functions and methods that take in bytes, by what they do."""


IMPORTS = {
    "process": "subprocess multiprocessing",
    "socket": "socket socketserver http urllib.request uvicorn mcp openai httpx2 pyqwest distributed",
    "decode": "pickle gzip zipfile tarfile tomllib yaml csv xml sqlite3 markitdown openpyxl pdfminer",
}
"""Modules that take in bytes, by what they do."""


def names_to_kinds(names_of_kind: dict[str, str]) -> dict[str, str]:
    """Return the kind of each name in a table such as `CALLS`: `{"open": "file", ...}`."""
    kind_of_name: dict[str, str] = {}
    for kind, names in names_of_kind.items():
        for name in names.split():
            kind_of_name[name] = kind
    return kind_of_name


KIND_OF_CALL = names_to_kinds(CALLS)


KIND_OF_MODULE = names_to_kinds(IMPORTS)


AMBIGUOUS_CALLS = ("open", "run", "compile", "load", "walk")
"""Names of methods that take in bytes of some objects, and mean something else for others:
`subprocess.run(words)` is an entry, `session.run(script)` is not."""


OTHER_RECEIVERS = [
    "ast", "re", "re2", "session", "turn", "turns", "walk",
    "self", "solver", "asyncio", "anyio", "box", "client", "program",
]  # fmt: skip
"""Names of variables and modules in the source whose `AMBIGUOUS_CALLS` take in nothing, such as
`re` in `re.compile(pattern)`. A call on any other name counts as an entry."""
