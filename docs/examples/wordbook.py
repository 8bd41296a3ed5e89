from controlplane import Description, RunResult, RunState, StartedRun, ListedTask, Trial, PlannedTrial, TrialScore
from controlplane.sandbox.interface import CallError, Effect, Operation, Parameter, ResultField
from controlplane.sandbox.interface import ToolSchema

WORDS = {"heron": "a grey bird", "otter": "a river animal"}
DEFINE = Operation("define", (Parameter("word", "str"),), (ResultField("meaning"),), "what a word means", Effect.RETURNS)

class WordEnvironment:
    tool_schema, answered = ToolSchema(operations=(DEFINE,)), None
    def call(self, operation, arguments):
        if arguments["word"] not in WORDS:
            raise CallError("not_found", f"no word {arguments['word']!r}")
        return {"meaning": WORDS[arguments["word"]]}
    def answer(self, message, outcome, refs):
        self.answered = (message, outcome)
    def now(self):
        return None

class Wordbook:
    def __init__(self):
        self.environments, self.scores = {}, {}
    def describe(self, preview_seed=None):
        return Description("wordbook", "what words mean", tuple(ListedTask(word) for word in WORDS))
    def start_run(self, request):
        return StartedRun("wordbook", tuple(PlannedTrial(str(each), each.task_id) for each in request.tries))
    def start_trial(self, trial_id):
        word, environment = trial_id.rpartition("-")[0], self.environments.setdefault(trial_id, WordEnvironment())
        return Trial(trial_id, word, f"What does {word!r} mean? Answer with the meaning only.", environment)
    def end_trial(self, trial_id):
        right = self.environments[trial_id].answered == (WORDS[trial_id.rpartition("-")[0]], "OUTCOME_OK")
        return self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))
    def submit_run(self, run_id, *, force):
        return RunResult(run_id, RunState.EVALUATED, None, tuple(self.scores.values()))
    get_run = lambda self, run_id: self.submit_run(run_id, force=False)
    player, close = lambda self: None, lambda self: None

open_benchmark = lambda argument, settings, context: Wordbook()
