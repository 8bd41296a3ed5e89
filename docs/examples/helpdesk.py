"""A help desk whose user is a model, with a telephone that only the user can touch.

`controlplane run --benchmark docs.examples.helpdesk --model MODEL --role user=PROFILE`

The agent can resume the line. The user then has to restart the telephone, with a tool that
belongs to the user's model and that the agent does not see.
"""

from controlplane import ModelUser, TaskEnvironment, Tool, ToolBenchmark

SCENARIO = """\
You are Ada Byron, customer C7. Your telephone has no network since this morning, and you want it \
to work again.
You do what the assistant asks you to do with the telephone. Once it has a network, you thank and \
end the conversation."""
"""What the user's model is told."""


class HelpDesk(ToolBenchmark):
    citations = "none"  # There are no documents to cite.

    def task_ids(self):
        return ["no-network"]

    def generate(self, task_id):
        world = {"line": "suspended", "is_restarted": False}

        def get_line(customer: str) -> dict:
            """Look a customer's line up."""
            return {"customer": customer, "line": world["line"]}

        def resume_line(customer: str) -> str:
            """Resume a suspended line. The customer has to restart the telephone afterwards."""
            world["line"] = "active"
            return "resumed"

        def restart() -> str:
            """Restart the telephone, and look whether it has a network."""
            has_network = world["line"] == "active"
            world["is_restarted"] = has_network
            if not has_network:
                return "still no network"
            return "it has a network"

        user = ModelUser(self.context.model("user"), SCENARIO, [Tool(restart, "acts")])
        tools = [Tool(get_line, "returns"), Tool(resume_line, "acts")]
        environment = TaskEnvironment(tools, user=user, state=world)
        return "A customer writes: 'C7 here. My telephone has no network.'", environment

    def grade(self, task_id, environment):
        is_solved = environment.state["is_restarted"]
        metrics = {"turns": environment.turn}
        return is_solved, ["the telephone has no network"], metrics


open_benchmark = HelpDesk
