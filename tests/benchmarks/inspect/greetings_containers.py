"""The containers of the samples of the task `greetings`, and what the model does in the first.

The sample `plain` has the one of `COMPOSE_FILE`, and the sample `several` the two of the other file.
"""

from tests.benchmarks.harbor.base_image import BASE_IMAGE

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

COMPOSE_FILE_WITH_TWO_SERVICES = f"""
services:
  a: {{image: '{BASE_IMAGE}'}}
  b: {{image: '{BASE_IMAGE}'}}
"""

DOCKERFILE = f"FROM {BASE_IMAGE}\n"

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
"""The model's script prints the files greeting.txt and colour.txt, and the folder of its commands.
Then it writes "hello" into greeting.txt."""
