"""Names of models: what they mean, what is hosted and what is local."""

import pytest

from gama.models.names import PROVIDERS, check_base_url, is_hosted, is_hosted_model, is_standin, split_name
from gama.state.errors import ModelUnknown, OptionError


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("openai:gpt-4o", ("openai", "gpt-4o")),
        ("ollama:llama3.1:8b", ("ollama", "llama3.1:8b")),
        (" OpenAI : gpt-4o ", ("openai", "gpt-4o")),
        ("google-genai:gemini", ("google_genai", "gemini")),
        ("huggingface:/models/llama", ("huggingface", "/models/llama")),
    ],
)
def test_split(name, parts):
    assert split_name(name) == parts


@pytest.mark.parametrize("name", ["", "gpt-4o", "openai:", "openai: ", ":x", "nobody:x"])
def test_names_without_a_known_provider_list_the_known(name):
    with pytest.raises(ModelUnknown) as caught:
        split_name(name)
    assert all(provider in str(caught.value) for provider in PROVIDERS)


@pytest.mark.parametrize(("model", "meant"), [(None, True), ("", True), ("StandIn", True), ("openai:x", False)])
def test_standin(model, meant):
    assert is_standin(model) is meant


@pytest.mark.parametrize(
    ("name", "base_url", "hosted"),
    [
        ("openai:gpt-4o", None, True),
        ("anthropic:claude", None, True),
        ("openai:x", "https://api.example.com/v1", True),
        ("openai:x", "http://localhost:8000/v1", False),
        ("openai:x", "http://[::1]:8000/v1", False),
        ("openai:x", "http://10.1.2.3/v1", False),
        ("openai:x", "http://192.168.1.5/v1", False),
        ("openai:x", "http://gpu.local/v1", False),
        ("openai:x", "http://8.8.8.8/v1", True),
        ("openai:x", "http://localhost.example.com/v1", True),
        ("ollama:llama3", None, False),
        ("ollama:x", "https://ollama.example.com", True),
        ("ollama:gpt-oss:120b-cloud", None, True),
        ("ollama:glm-4.6:cloud", "http://localhost:11434", True),
        ("huggingface:x", None, False),
    ],
)
def test_hosted_or_local(name, base_url, hosted):
    assert is_hosted(name, base_url) is hosted


@pytest.mark.parametrize(
    ("host", "hosted"),
    [
        ("https://ollama.example.com", True),
        ("203.0.113.9.example.com:11434", True),
        ("0.0.0.0", False),
        ("127.0.0.1:11434", False),
        (":11434", False),
        ("", False),
    ],
)
def test_ollamas_own_setting_of_the_host_counts(host, hosted, monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert is_hosted("ollama:llama3") is hosted
    assert not is_hosted("ollama:llama3", "http://localhost:11434"), "a base URL goes before it"


def test_ready_models():
    from langchain_core.language_models import FakeListChatModel
    from langchain_ollama import ChatOllama
    from langchain_openai import AzureChatOpenAI, ChatOpenAI

    assert is_hosted_model(ChatOpenAI(model="gpt-4o", api_key="k"))
    assert not is_hosted_model(ChatOpenAI(model="x", api_key="k", base_url="http://127.0.0.1:1/v1"))
    assert is_hosted_model(
        AzureChatOpenAI(azure_endpoint="https://x.example.com", api_key="k", api_version="1", azure_deployment="d")
    )
    assert not is_hosted_model(ChatOllama(model="llama3"))
    assert is_hosted_model(ChatOllama(model="llama3", base_url="https://ollama.example.com"))
    assert is_hosted_model(ChatOllama(model="kimi-k2:1t-cloud"))
    assert not is_hosted_model(FakeListChatModel(responses=["x"]))


@pytest.mark.parametrize("url", [None, "http://localhost:8000/v1", "https://api.example.com/v1"])
def test_good_base_urls(url):
    check_base_url(url)


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x", "http://", "v1", "https://user:secret@example.com/v1"])
def test_bad_base_urls_are_refused_without_quoting_a_password(url):
    with pytest.raises(OptionError) as caught:
        check_base_url(url)
    assert "secret" not in str(caught.value)
