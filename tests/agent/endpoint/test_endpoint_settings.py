from agent.endpoint import EndpointSettings


def test_no_secret_of_an_endpoint_is_shown() -> None:
    settings = EndpointSettings("m", "http://user:sesame@h:1/v1?key=sesame", "sesame", headers={"X-Key": "sesame"})
    assert "sesame" not in repr(settings) + settings.shown_url
    assert settings.shown_url == "http://h:1/v1"
    assert EndpointSettings("m").shown_url == "https://api.openai.com/v1"
