"""What type checkers say of options: each line with `# error` is wrong, and no other. Checked by test_typed.py."""

from gama import Options
from gama.serve.http.settings import ServerSettings

right = Options(
    public_model="openai:gpt-4o",
    k=5,
    alpha=1,
    route="auto",
    deny=["Falcon"],
    keep=("age", "location"),
    thresholds={"PER": 0.3},
    strategies="surrogate",
    max_cost=0.5,
    prices={"openai:gpt-4o": {"input": 1.0, "output": 2.0}},
)
other = Options(strategies={"name": "surrogate"}, restore="strict")
words: tuple[str, ...] = right.keep
pairs: tuple[tuple[str, float], ...] = right.thresholds
experts: int = right.k
settings = ServerSettings(port=8001, hosts=["gama.example"])

Options(k="x")  # error
Options(publik="y")  # error
Options(route="logik")  # error
Options(deny="Falcon")  # error
Options(thresholds={"PER": "high"})  # error
Options(strategies=3)  # error
Options(public_model=3)  # error
Options(5)  # error
right.thresholds["PER"]  # error
ServerSettings(port="x")  # error
ServerSettings(hsot="127.0.0.1")  # error
