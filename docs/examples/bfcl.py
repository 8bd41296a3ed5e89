"""BFCL's multi-turn tasks, from the package `bfcl-eval`: its functions are the tools, its checker grades each turn.
The ground truth plays: `controlplane run --benchmark docs.examples.bfcl:base` (or miss_func, miss_param, long_context)"""

import copy, importlib, itertools, json
from pathlib import Path

import bfcl_eval
from bfcl_eval.constants import executable_backend_config as backend
from bfcl_eval.constants.default_prompts import DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC as MORE_FUNCTIONS
from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker import multi_turn_checker
from controlplane import TaskEnvironment, Tool, ToolBenchmark, Truth

DATA = Path(bfcl_eval.__file__).parent / "data"
READS = ("get_", "search_", "list_", "check", "display", "find", "view_", "estimate_", "calculate", "compute_")
TRIALS = itertools.count()  # the checker keeps its worlds by name, so each trial needs one of its own

def rows(path):
    return [json.loads(line) for line in (DATA / path).read_text().splitlines()]

class BFCL(ToolBenchmark):
    citations = "none"

    def __init__(self, argument, settings, context):
        super().__init__(argument or "base", settings, context)
        name = f"BFCL_v4_multi_turn_{self.argument}.json"
        self.entries = {f"{self.argument}.{row['id'].rpartition('_')[2]}": row for row in rows(name)}
        self.truths = {row["id"]: row["ground_truth"] for row in rows(f"possible_answer/{name}")}

    def task_ids(self):
        return list(self.entries)

    def documents(self, entry):
        """Return the class and the schema of each function, by its name."""
        files = backend.MULTI_TURN_FUNC_DOC_FILE_MAPPING
        functions = [(owner, row) for owner in entry["involved_classes"] for row in rows(f"multi_turn_func_doc/{files[owner]}")]
        return {row["name"]: (owner, row) for owner, row in functions if row["name"] not in entry.get("excluded_function", ())}

    def generate(self, task_id):
        entry, worlds = self.entries[task_id], {}
        for owner in entry["involved_classes"]:
            worlds[owner] = getattr(importlib.import_module(backend.CLASS_FILE_PATH_MAPPING[owner]), owner)()
            if owner not in backend.STATELESS_CLASSES:
                scenario = copy.deepcopy(entry["initial_config"].get(owner, {}))
                worlds[owner]._load_scenario(scenario, long_context=self.argument == "long_context")

        later = {name: int(turn) for turn, names in entry.get("missed_function", {}).items() for name in names}
        def tool(name, owner, document):
            def call(**arguments):
                try:
                    return getattr(worlds[owner], name)(**arguments)
                except Exception as error:  # the checker, too, takes any error for a failed call
                    raise ValueError(str(error)) from error
            only_reads = owner in backend.STATELESS_CLASSES or name.startswith(READS)
            return Tool(call, "returns" if only_reads else "acts", schema=document, first_turn=later.get(name, 0))

        tools = [tool(name, owner, document) for name, (owner, document) in self.documents(entry).items()]
        first, *others = (turn[0]["content"] if turn else MORE_FUNCTIONS for turn in entry["question"])
        return first, TaskEnvironment(tools, user=others)

    def truth(self, task_id):
        entry = self.entries[task_id]
        documents = self.documents(entry)
        def parsed(text):
            name = text.partition("(")[0]
            parameters = documents[name][1]["parameters"]["properties"]
            arguments_of = lambda *values, **named: {**dict(zip(parameters, values)), **named}
            return name, eval(text, {name: arguments_of})  # trials run in threads, in which ast.parse may fail
        return Truth([[parsed(text) for text in turn] for turn in self.truths[entry["id"]]], tells_user="Done.")

    def grade(self, task_id, environment):
        entry = self.entries[task_id]
        turns = [[] for _ in entry["question"]]
        for call in environment.calls:
            if call.name != "say":
                arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
                turns[call.turn].append([f"{call.name}({arguments})"])
        verdict = multi_turn_checker(turns, self.truths[entry["id"]], entry, "", f"trial{next(TRIALS)}")
        return verdict["valid"], [str(verdict.get("error_message"))]

open_benchmark = BFCL
