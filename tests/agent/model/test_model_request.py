from agent.model import AnsweringModel, Message, ModelRequest, Reply, Tool

ASK = [Message(role="user", content="u")]
LOOK = Tool(name="look", description="", parameters={})


class Echo(AnsweringModel):
    name = "echo"

    def __init__(self) -> None:
        self.asked: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.asked.append(request)
        return Reply(text=request.role)


def test_a_request_arrives_whole_however_it_is_put() -> None:
    echo, request = Echo(), ModelRequest(ASK, "review", {"type": "object"}, [LOOK], "required")
    assert request.put_to(echo).text == "review"
    assert echo.complete(ASK, "review", {"type": "object"}, [LOOK], "required").text == "review"
    assert echo.asked == [request, request]
    assert echo.complete(ASK).text == "solve"
    assert echo.asked[-1] == ModelRequest(ASK)
