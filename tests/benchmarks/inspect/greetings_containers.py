"""The containers of the two samples of the task `greetings`, and what the model does in the first.

The sample `plain` is played in a container by `COMPOSE_FILE`. Before the model begins, the sample writes
two files into the folder /work: greeting.txt with "hullo", and colour.txt with the variable COLOUR.
"""

from tests.benchmarks.harbor.base_image import BASE_IMAGE

DOCKERFILE = f"FROM {BASE_IMAGE}\n"

COMPOSE_FILE = """
services:
  default:
    build: .
    init: true
    command: tail -f /dev/null
    working_dir: /work
    environment: {COLOUR: green}
    network_mode: none
"""
"""`build: .` makes the image by the Dockerfile."""

REPLIES = '''
[[reply]]
code = """
print(harness.bash(command="cat greeting.txt; echo; cat colour.txt; pwd").value)
harness.bash(command="echo hello >greeting.txt")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp['answer'] == 'done')
"""
'''
"""The model's script, for the sample `plain`. It corrects the greeting."""

PRINTED_LINES = ["hullo", "green", "/work"]
"""What the script prints: the two files, and the folder in which commands run."""

COMPOSE_FILE_WITH_TWO_SERVICES = f"""
services:
  a: {{image: '{BASE_IMAGE}'}}
  b: {{image: '{BASE_IMAGE}'}}
"""
"""None of the two containers of the sample `several` is named `default`, so it is not played."""
