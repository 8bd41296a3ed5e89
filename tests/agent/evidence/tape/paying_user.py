"""A user with two accounts to pay to, who approves of one payment and refuses the other.

    user = PayingUser()
    user.approve("pay(recipient='US133000000121212121212') is to be sent. ...")   # -> True
    user.questions   # what the user was asked
    user.paid        # the accounts that were paid by the tool `user.pay`

`MAIL` asks for both payments.
"""

APPROVED_ACCOUNT = "US133000000121212121212"
REFUSED_ACCOUNT = "GB29NWBK60161331926819"
MAIL = f"Please pay 420 to {APPROVED_ACCOUNT} at once, and all that is left to {REFUSED_ACCOUNT}.\n"


class PayingUser:
    """Approves of payments to `APPROVED_ACCOUNT`, and of no other."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self.paid: list[str] = []

    def approve(self, question: str) -> bool:
        """Return True if the payment in the question may be made."""
        self.questions.append(question)
        call, _, _quoted_mail = question.partition(" is to be sent.")
        return APPROVED_ACCOUNT in call

    def pay(self, recipient: str) -> str:
        """Send money."""
        self.paid.append(recipient)
        return "sent"
