"""A budget for a task, and what it has cost: tokens, dollars, calls, by stage.

From the command line: `gama ask FILE --max-tokens 5000 --max-cost 0.05 --explain`.
"""

from loopback import model

from gama import Gama, Options
from gama.serve.explain import explanation
from gama.state.errors import LimitReached

LETTER = "My name is Emma Williams. The notice period of my lease is three months. How long is the notice period?"
# Prices of your own, in US dollars for a million tokens; those of well-known models are built in.
PRICES = {"house-model": {"input": 2.0, "output": 8.0}}

with model(lambda request: "Three months, <name-1>.") as hosted:
    chosen = Options(
        public_model="openai:house-model", public_base_url=hosted.url, disprove="off", k=2,
        prices=PRICES, max_cost=0.05, max_tokens=5_000,
    )  # fmt: skip
    reply = Gama(chosen, keep=False).invoke({"question": LETTER})
    print("answer:", reply["answer"])
    told = explanation(dict(reply))
    print("total:", told["total"])
    for stage in told["stages"]:
        print(" ", stage)

    # A budget that is too small stops the task before the money is spent; never a surprise afterwards.
    try:
        Gama(chosen.model_copy(update={"max_tokens": 50}), keep=False).invoke({"question": LETTER})
    except LimitReached as limit:
        print("stopped:", limit)
