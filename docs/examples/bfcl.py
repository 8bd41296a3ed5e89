"""BFCL's tasks of several turns, in which the user asks for one thing after another.

`controlplane run --benchmark docs.examples.bfcl:base`

The part after the colon is a category: `base`, `miss_func` (a function appears only in a later
turn), `miss_param` (the user leaves a value out at first) or `long_context`. The tools are BFCL's
functions, and its own checker grades each turn. Without `--model`, its ground truth is played.
Needs the package `bfcl-eval`.
"""

import copy
import importlib
import itertools
import json
from pathlib import Path

import bfcl_eval
from bfcl_eval.constants.default_prompts import (
    DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE_FUNCTIONS,
)
from bfcl_eval.constants.executable_backend_config import (
    CLASS_FILE_PATH_MAPPING,
    MULTI_TURN_FUNC_DOC_FILE_MAPPING,
    STATELESS_CLASSES,
)
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker

from controlplane import TaskEnvironment, Tool, ToolBenchmark, Truth

DATA = Path(bfcl_eval.__file__).parent / "data"

READING_VERBS = (
    "get_",
    "search_",
    "list_",
    "check",
    "display",
    "find",
    "view_",
    "estimate_",
    "calculate",
    "compute_",
)
"""The names of functions that only read begin with these words."""

TRIAL_NUMBERS = itertools.count()
"""BFCL's checker keeps its worlds by a name, so each trial needs one of its own."""


def rows(path):
    """Read a file of BFCL's data, which has a JSON object in each line."""
    text = (DATA / path).read_text()
    return [json.loads(line) for line in text.splitlines()]


class BFCL(ToolBenchmark):
    citations = "none"  # There are no documents to cite.

    def __init__(self, argument, settings, context):
        super().__init__(argument or "base", settings, context)
        file_name = f"BFCL_v4_multi_turn_{self.argument}.json"

        # BFCL's ids are such as `multi_turn_base_12`; a task's id is then `base.12`.
        self.entries = {}
        for entry in rows(file_name):
            number = entry["id"].rpartition("_")[2]
            self.entries[f"{self.argument}.{number}"] = entry

        self.right_calls = {}
        for answer in rows(f"possible_answer/{file_name}"):
            self.right_calls[answer["id"]] = answer["ground_truth"]

    def task_ids(self):
        return list(self.entries)

    def generate(self, task_id):
        """Return the user's first message, and an environment for the whole conversation."""
        entry = self.entries[task_id]
        worlds = new_worlds(entry, has_long_context=self.argument == "long_context")
        first_turns = first_turn_of_functions(entry)

        tools = []
        for name, (owner, schema) in function_schemas(entry).items():
            only_reads = owner in STATELESS_CLASSES or name.startswith(READING_VERBS)
            tool = Tool(
                caller_of(getattr(worlds[owner], name)),
                "returns" if only_reads else "acts",
                schema=schema,
                first_turn=first_turns.get(name, 0),
            )
            tools.append(tool)

        messages = []
        for turn in entry["question"]:
            # In a turn without a message, functions are added.
            messages.append(turn[0]["content"] if turn else MORE_FUNCTIONS)
        return messages[0], TaskEnvironment(tools, user=messages[1:])

    def truth(self, task_id):
        entry = self.entries[task_id]
        schemas = function_schemas(entry)
        turns = []
        for turn in self.right_calls[entry["id"]]:
            turns.append([parsed_call(text, schemas) for text in turn])
        return Truth(turns, tells_user="Done.")

    def grade(self, task_id, environment):
        """Let BFCL's checker compare the calls of each turn with the right ones.

        The checker takes calls as Python text: `cd(folder='document')`.
        """
        entry = self.entries[task_id]
        turns = [[] for _ in entry["question"]]
        for call in environment.calls:
            if call.name == "say":
                continue
            arguments = [f"{name}={value!r}" for name, value in call.arguments.items()]
            turns[call.turn].append([f"{call.name}({', '.join(arguments)})"])

        trial_name = f"trial{next(TRIAL_NUMBERS)}"
        right_calls = self.right_calls[entry["id"]]
        verdict = multi_turn_checker(turns, right_calls, entry, "", trial_name)
        return verdict["valid"], [str(verdict.get("error_message"))]


def new_worlds(entry, has_long_context):
    """Return an object of each class that a task uses, by the class's name.

    The tools are their methods; `GorillaFileSystem` has `cd` and `ls`, for example.
    """
    worlds = {}
    for class_name in entry["involved_classes"]:
        module = importlib.import_module(CLASS_FILE_PATH_MAPPING[class_name])
        world = getattr(module, class_name)()
        if class_name not in STATELESS_CLASSES:
            scenario = copy.deepcopy(entry["initial_config"].get(class_name, {}))
            world._load_scenario(scenario, long_context=has_long_context)
        worlds[class_name] = world
    return worlds


def first_turn_of_functions(entry):
    """Return the turn, counted from 0, in which each late function appears: `{"ls": 2}`."""
    first_turns = {}
    for turn, names in entry.get("missed_function", {}).items():
        for name in names:
            first_turns[name] = int(turn)
    return first_turns


def function_schemas(entry):
    """Return the class and the schema of each of a task's functions, by the function's name."""
    excluded_names = entry.get("excluded_function", ())
    schemas = {}
    for class_name in entry["involved_classes"]:
        file_name = MULTI_TURN_FUNC_DOC_FILE_MAPPING[class_name]
        for schema in rows(f"multi_turn_func_doc/{file_name}"):
            if schema["name"] not in excluded_names:
                schemas[schema["name"]] = (class_name, schema)
    return schemas


def caller_of(method):
    """Return a function that calls a method of BFCL, for a tool.

    Any error is a failed call, as BFCL's checker has it, too; `ValueError` says so to a tool.
    """

    def call(**arguments):
        try:
            return method(**arguments)
        except Exception as error:
            raise ValueError(str(error)) from error

    return call


def parsed_call(text, schemas):
    """Read a right call: `cd('document')` -> `("cd", {"folder": "document"})`.

    The text is Python, and is evaluated with a function that returns its arguments. (`ast.parse`
    may fail in a thread, and trials run in threads.)
    """
    name = text.partition("(")[0]
    _, schema = schemas[name]
    parameters = schema["parameters"]["properties"]

    def arguments_by_name(*values, **named_values):
        arguments = dict(zip(parameters, values, strict=False))
        return arguments | named_values

    return name, eval(text, {name: arguments_by_name})


open_benchmark = BFCL
