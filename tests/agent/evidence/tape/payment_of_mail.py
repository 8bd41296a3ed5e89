"""A trial that reads a mail and pays to an account in it, after its user was asked.

    read_and_pay(PayingTrial(), APPROVED_ACCOUNT).events
    -> the mail is read, the user approves, the payment is announced, the payment is made

Only the mail names the account, so that the user is asked.
"""

from tests.agent.evidence.tape.paying_trial import PayingTrial


def read_and_pay(trial: PayingTrial, account: str) -> PayingTrial:
    """Make the two calls of the trial, and return it."""
    trial.call("read", path="/mail/m1.md")
    trial.call("pay", recipient=account)
    return trial
