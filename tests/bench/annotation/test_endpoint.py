"""What is sent to servers of different abilities, and what is made of their answers."""

from __future__ import annotations

import asyncio
from typing import Any

import jsonschema
import pytest

from tests.bench.annotation.servers import Reply, Script, completion, serving
from tokengeist.bench.annotation.endpoint import Endpoint, RefusedError
from tokengeist.bench.annotation.schemas import GRAPH, TARGETS
from tokengeist.bench.annotation.settings import Price, ServerSettings, key_from_environment
from tokengeist.bench.annotation.wire import Answer
from tokengeist.errors import RunError


def ask(script: Script, times: int = 1, **settings: Any) -> tuple[Answer, list[dict[str, Any]]]:
    async def go(url: str) -> Answer:
        async with Endpoint(ServerSettings(url, first_wait=0.01, **settings)) as endpoint:
            for _ in range(times):
                answer = await endpoint.ask("m", [{"role": "user", "content": "hi"}], TARGETS)
            return answer

    with serving(script) as server:
        return asyncio.run(go(server.url)), server.requests


def refusing(*features: str, message: str = "unsupported: {}") -> Script:
    """A server that refuses requests with any of these keys or response formats."""

    def script(request: dict[str, Any]) -> Reply | str:
        has = {*request, request.get("response_format", {}).get("type")}
        for feature in features:
            if feature in has:
                return Reply(message.format(feature), 400)
        return "fine"

    return script


def formats(requests: list[dict[str, Any]]) -> list[str | None]:
    return [request.get("response_format", {}).get("type") for request in requests]


def test_a_schema_is_asked_for_first() -> None:
    answer, requests = ask(lambda _: "fine")
    assert answer.text == "fine"
    assert formats(requests) == ["json_schema"]
    assert requests[0]["response_format"]["json_schema"]["schema"] == TARGETS
    assert set(requests[0]) == {"model", "messages", "response_format"}


def test_servers_without_schemas_are_asked_once_and_remembered() -> None:
    _, requests = ask(refusing("json_schema"), times=3)
    assert formats(requests) == ["json_schema", "json_object", "json_object", "json_object"]
    _, requests = ask(refusing("json_schema", "json_object"), times=2)
    assert formats(requests) == ["json_schema", "json_object", None, None]


def test_a_refusal_for_another_reason_costs_later_calls_nothing() -> None:
    seen: list[int] = []

    def script(request: dict[str, Any]) -> Reply | str:
        seen.append(1)
        return "fine" if len(seen) > 3 else Reply("we do not like this text", 422)

    async def go(url: str) -> None:
        async with Endpoint(ServerSettings(url)) as endpoint:
            with pytest.raises(RefusedError, match="we do not like this text"):
                await endpoint.ask("m", [], TARGETS)
            await endpoint.ask("m", [], TARGETS)

    with serving(script) as server:
        asyncio.run(go(server.url))
    assert formats(server.requests) == ["json_schema", "json_object", None, "json_schema"]


def test_the_other_name_of_the_token_limit_is_tried() -> None:
    script = refusing("max_tokens", message="use 'max_completion_tokens' instead of {}")
    _, requests = ask(script, max_tokens=7, temperature=0.0)
    assert requests[1]["max_completion_tokens"] == 7
    assert "max_tokens" not in requests[1]
    assert requests[1]["temperature"] == 0.0
    assert formats(requests) == ["json_schema", "json_schema"]


def test_streaming_works_without_usage_too() -> None:
    answer, requests = ask(refusing("stream_options"), stream=True)
    assert answer.text == "fine"
    assert [("stream_options" in r, r["stream"]) for r in requests] == [(True, True), (False, True)]


def test_a_server_that_ignores_streaming_is_understood() -> None:
    answer, _ = ask(lambda _: Reply(completion("whole")), stream=True)
    assert (answer.text, answer.usage.read) == ("whole", 100)


def test_content_in_parts_and_missing_usage() -> None:
    body = '{"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]}'
    answer, _ = ask(lambda _: Reply(body))
    assert (answer.text, answer.finish, answer.usage.unknown) == ("ab", "stop", 1)


def test_half_a_surrogate_pair_can_be_sent() -> None:
    async def go(url: str) -> Answer:
        async with Endpoint(ServerSettings(url)) as endpoint:
            return await endpoint.ask("m", [{"role": "user", "content": "\ud83d"}], TARGETS)

    with serving(lambda _: "fine") as server:
        assert asyncio.run(go(server.url)).text == "fine"


def test_schemas_are_schemas_and_closed() -> None:
    def closed(schema: dict[str, Any]) -> bool:
        if schema["type"] == "object":
            inner = schema["properties"]
            return schema["required"] == list(inner) and all(map(closed, inner.values()))
        return schema["type"] != "array" or closed(schema["items"])

    for schema in (TARGETS, GRAPH):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert closed(schema)


@pytest.mark.parametrize("url", ["", "api.example.com/v1", "ftp://example.com", "http://"])
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(RunError, match="no address of a server"):
        ServerSettings(url)


def test_the_key_is_not_in_the_settings_as_printed() -> None:
    assert "secret" not in repr(ServerSettings("http://x/v1", "secret"))


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " abc \n")
    monkeypatch.setenv("BROKEN", "two\nlines")
    assert key_from_environment("MY_KEY") == "abc"
    assert key_from_environment("UNSET_KEY") is None
    with pytest.raises(RunError, match="BROKEN"):
        key_from_environment("BROKEN")


@pytest.mark.parametrize("text", ["", "1", "a/b", "1/2/3", "-1/2", "nan/1", "inf/1"])
def test_prices_that_are_none(text: str) -> None:
    with pytest.raises(RunError, match="a price is"):
        Price.parse(text)
