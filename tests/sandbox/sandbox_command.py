"""`python -m sandbox`, called in this process."""

import json

from click.testing import CliRunner

from sandbox.__main__ import main


def command(*arguments, script=""):
    """Run the command in this process."""
    return CliRunner().invoke(
        main, [str(argument) for argument in arguments], input=script, prog_name="python -m sandbox"
    )


def run(folder, script, *options):
    done = command("run", "--files", folder, "--json", *options, script=script)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)
