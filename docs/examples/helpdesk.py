"""A help desk whose user is a model, with a telephone of its own that only the user can touch.
`controlplane run --benchmark helpdesk --model MODEL --role user=PROFILE`"""

from controlplane import ModelUser, TaskEnvironment, Tool, ToolBenchmark

SCENARIO = """You are Ada Byron, customer C7. Your telephone has no network since this morning, and you want it to work again.
You do what the assistant asks you to do with the telephone. Once it has a network, you thank and end the conversation."""


class HelpDesk(ToolBenchmark):
    citations = "none"  # there are no documents

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
            world["is_restarted"] = world["line"] == "active"
            return "it has a network" if world["is_restarted"] else "still no network"

        user = ModelUser(self.context.model("user"), SCENARIO, [Tool(restart, "acts")])
        tools = [Tool(get_line, "returns"), Tool(resume_line, "acts")]
        return "A customer writes: 'C7 here. My telephone has no network.'", TaskEnvironment(tools, user=user, state=world)

    def grade(self, task_id, environment):
        return environment.state["is_restarted"], ["the telephone has no network"], {"turns": environment.turn}

open_benchmark = HelpDesk
