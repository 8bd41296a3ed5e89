"""Tasks with a tool that keeps state: `controlplane.run(TASKS, model=...)`."""

from controlplane import Task, TaskEnvironment, Tool


def till() -> TaskEnvironment:
    paid = []

    def pay(amount: float, note: str = "") -> int:
        """Pay an amount in euros; returns the number of payments so far."""
        paid.append(amount)
        return len(paid)

    return TaskEnvironment([Tool(pay, "acts")], state=paid, policy="Nobody pays more than 100 euros.")


TASKS = [Task("pay.1", "Pay 2.5 euros.", environment=till, grade=lambda end: end.state == [2.5])]
