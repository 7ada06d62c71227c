"""A tiny random Llama from a folder takes the private agents' part: nonsense out, contract kept."""

import asyncio
import threading

import pytest

from gama import Anonymizer, Gama, Options
from gama.guard.egress import EGRESS, NoPrivateSpace
from gama.models.calls import PublicCall
from gama.models.private import private_model
from gama.models.public import public_client
from gama.state.errors import ModelReplyError, ModelUnknown
from tests.support import letters

pytest.importorskip("transformers", reason="needs the extra `local`")
pytest.importorskip("torch", reason="needs the extra `local`")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CHAT = [{"role": "user", "content": "hello"}]
TEXT = "My name is Thessaly Quornbeck, mail t.quornbeck@planted.example."


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("llama")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: n for n, token in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(vocabulary), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=8192, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def local(checkpoint):
    from gama.models.huggingface import local_pipeline

    return local_pipeline(str(checkpoint), seed=1).model_copy(update={"max_new_tokens": 48})


class TestAgents:
    @pytest.mark.parametrize(("pia_mode", "fusion"), [("extract", "agent"), ("filter", "agent"), ("extract", "rule")])
    def test_the_contract_is_kept(self, checkpoint, pia_mode, fusion):
        made = Anonymizer(Options(private_model=f"huggingface:{checkpoint}", pia_mode=pia_mode, fusion=fusion))
        view = made.anonymize(TEXT)
        assert "t.quornbeck@planted.example" not in view.text, "a validated pattern is never voted away"
        assert made.restore(view.text, view.box).text == TEXT

    @pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream"])
    def test_the_whole_way_from_letter_to_answer(self, checkpoint, loopback, way):
        def speak(request):
            return '{"contradiction": false, "reason": ""}' if "response_format" in request else "Dear <email-1>, yes."

        loopback.reply = speak
        options = Options(
            private_model=f"huggingface:{checkpoint}", public_model="openai:loop-1", public_base_url=loopback.url, k=2
        )
        gama, question = Gama(options, keep=False), {"question": letters.PLANTED}
        if way == "invoke":
            reply = gama.invoke(question)
        elif way == "ainvoke":
            reply = asyncio.run(gama.ainvoke(question))
        else:
            reply = {key: value for part in gama.stream(question) for key, value in part.items()}
        assert reply["verdict"] == "converged" and reply["answer"].startswith("Dear ")
        # Nonsense of the private agents leaves the embedded analysis: the fired rules, the fusion, the assistant.
        assert 1 <= len(reply["domains"]) <= 2 and reply["usage"]["calls"] == len(reply["domains"]) + 1 + (
            len(reply["domains"]) > 1
        )
        assert reply["models"]["private"] == f"huggingface:{checkpoint}"
        # What validated patterns have found is hidden, whatever nonsense the agents wrote.
        addresses = [e["text"] for e in reply["entities"] if e["subtype"] == "email"]
        assert addresses and not any(address.encode() in loopback.received for address in addresses)


class TestPipeline:
    def test_sampling_is_seeded(self, checkpoint):
        first = private_model(f"huggingface:{checkpoint}", seed=1).complete(CHAT)
        assert first == private_model(f"huggingface:{checkpoint}", seed=1).complete(CHAT)
        assert first != private_model(f"huggingface:{checkpoint}", seed=2).complete(CHAT)

    def test_it_writes_as_the_options_say(self, checkpoint):
        from gama.models.huggingface import local_pipeline

        made = [local_pipeline(str(checkpoint), seed=seed, max_tokens=24, temperature=0.0) for seed in (1, 2)]
        first, second = (one.invoke("hello") for one in made)
        assert first.text == second.text and first.usage_metadata["output_tokens"] <= 24
        with pytest.raises(ModelReplyError, match="takes 128 tokens of prompt"):
            local_pipeline(str(checkpoint), max_length=128).invoke("hello" * 100)
        assert local_pipeline(str(checkpoint), device="cpu").model.device.type == "cpu"
        with pytest.raises(ModelUnknown, match="private_device"):
            local_pipeline(str(checkpoint), device="cuda:77")

    def test_async_is_the_same(self, checkpoint):
        made = private_model(f"huggingface:{checkpoint}", seed=1)

        async def several():
            return await asyncio.gather(*(made.acomplete(CHAT) for _ in range(2)))

        assert asyncio.run(several()) == [made.complete(CHAT)] * 2

    def test_a_stream_is_the_same_in_pieces(self, local):
        whole = local.invoke("hello")
        chunks = list(local.stream("hello"))
        assert len(chunks) >= 2 and "".join(c.text for c in chunks) == whole.text
        assert sum(chunks[1:], chunks[0]).usage_metadata == whole.usage_metadata

        async def pieces():
            return [chunk.text async for chunk in local.astream("hello")]

        assert "".join(asyncio.run(pieces())) == whole.text

    def test_the_callers_random_numbers_stay_as_they_are(self, local):
        import torch

        torch.manual_seed(7)
        expected = torch.rand(3)
        torch.manual_seed(7)
        local.invoke("hello")
        list(local.stream("hello"))
        assert torch.equal(torch.rand(3), expected)

    @pytest.mark.parametrize("way", ["invoke", "stream"])
    def test_stop_marks(self, local, way):
        whole = local.invoke("hello").text
        mark = whole[10:13]
        if way == "invoke":
            cut = local.invoke("hello", stop=[mark, "never there"]).text
        else:
            cut = "".join(c.text for c in local.stream("hello", stop=[mark, "never there"]))
        assert cut == whole[: whole.index(mark)]

    def test_leaving_a_stream_ends_the_generation(self, checkpoint):
        from gama.models.huggingface import WRITER, local_pipeline

        endless = local_pipeline(str(checkpoint)).model_copy(update={"max_new_tokens": 7000})
        stream = endless.stream("hello")
        next(stream)
        assert WRITER in [thread.name for thread in threading.enumerate()]
        stream.close()
        assert WRITER not in [thread.name for thread in threading.enumerate()]
        assert endless.model_copy(update={"max_new_tokens": 4}).invoke("hello").usage_metadata["output_tokens"] == 4

    def test_cancelling_ends_the_generation(self, checkpoint, monkeypatch):
        from gama.models.huggingface import LocalChat, local_pipeline

        endless = local_pipeline(str(checkpoint)).model_copy(update={"max_new_tokens": 8000})
        under_way, lengths, real = threading.Event(), [], LocalChat._tokens

        def tokens(self, ids, ended, streamer=None):
            under_way.set()
            lengths.append(real(self, ids, ended, streamer).shape[1])
            raise AssertionError("nobody waits for this")

        monkeypatch.setattr(LocalChat, "_tokens", tokens)

        async def go():
            task = asyncio.create_task(endless.ainvoke("hello"))
            assert await asyncio.to_thread(under_way.wait, 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(go())
        assert lengths and lengths[0] < 8000

    def test_a_prompt_that_does_not_fit_is_refused_not_cut(self, checkpoint):
        made = private_model(f"huggingface:{checkpoint}")
        for call in (made.complete, lambda chat: asyncio.run(made.acomplete(chat))):
            with pytest.raises(ModelReplyError, match="longer context"):
                call([{"role": "user", "content": "x" * 9000}])

    def test_an_error_while_streaming_reaches_the_reader(self, local, monkeypatch):
        from gama.models.huggingface import LocalChat

        def broken(self, ids, ended, streamer=None):
            raise RuntimeError("no memory")

        monkeypatch.setattr(LocalChat, "_tokens", broken)
        with pytest.raises(RuntimeError, match="no memory"):
            list(local.stream("hello"))

    def test_no_such_checkpoint(self, tmp_path):
        with pytest.raises(ModelUnknown, match="cannot be loaded"):
            private_model(f"huggingface:{tmp_path}/nothing")


class TestLangChainsPipeline:
    """LangChain's own Hugging Face chat model is sync only: a thread makes it async."""

    @pytest.fixture
    def ready(self, checkpoint):
        huggingface = pytest.importorskip("langchain_huggingface", reason="needs the extra `local`")
        pipeline = huggingface.HuggingFacePipeline.from_model_id(
            str(checkpoint), task="text-generation", pipeline_kwargs={"max_new_tokens": 8, "do_sample": False}
        )
        made = huggingface.ChatHuggingFace(llm=pipeline, model_id=str(checkpoint))
        made.tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
        return made

    def test_private(self, ready):
        made = private_model(ready)
        assert asyncio.run(made.acomplete(CHAT)) == made.complete(CHAT)

    def test_public(self, ready):
        EGRESS.set(NoPrivateSpace())
        made = public_client(ready)
        call = PublicCall(role="expert", system="s", user="u", task="t")
        assert asyncio.run(made.acomplete(call)).text == made.complete(call).text
