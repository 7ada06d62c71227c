"""A teacher of SEAL that is scripted: it knows some telling words, and what they tell.

Run as a program, it simulates trajectories and dies by SIGKILL at a call: `python -m tests.support.teaching OUT DIE`.
"""

import os
import re
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

from gama.evals.teachers import Teacher, make_teacher
from gama.training.seal.config import Config, read_config
from gama.training.seal.sources import Profile

TELLING = {
    "nurse": ("occupation", "nurse", 5, "worker"),
    "Porto": ("location", "Porto", 4, "a town"),
    "34": ("age", "34", 3, "grown up"),
}
"""A word, what it tells, how certainly, and a wider one."""

MEANING = {0: 10, 1: 9, 2: 8, 3: 6}
"""How much of the meaning is left when so many words have gone."""


class ScriptedTeacher(BaseChatModel):
    """Plays all three roles by rule; notes its calls in a file, so that they are counted over processes."""

    log: Path | None = None
    die: int = 0
    """At which of its calls this process dies; 0: at none."""
    garbled: str = ""
    """A role whose replies cannot be read."""
    fails: bool = False
    """Whether it gives no reply at all."""
    temperature: float = 0.6

    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scripted-teacher"

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        system, user = (str(one.content) for one in messages)
        role = "judge" if "hallucination" in system else "rewrite" if "You rewrite" in system else "infer"
        if self.fails:
            raise ValueError("out of order")
        with self._lock:
            self._note(role, user)
        said = "Let me think." if role == self.garbled else REPLIES[role](user)
        usage = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100}
        message = AIMessage(content=said, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _note(self, role: str, user: str) -> None:
        if self.log is None:
            return
        with self.log.open("a") as file:
            file.write(f"{role} {self.temperature} {user!r}\n")
        made = sum(1 for _ in self.log.open())
        if made == self.die:
            # A call that is cut off is paid for by nobody: its line goes.
            lines = self.log.read_text().splitlines(keepends=True)
            self.log.write_text("".join(lines[:-1]))
            os.kill(os.getpid(), signal.SIGKILL)


def _infer(text: str) -> str:
    blocks = [
        f'Type: {attribute}\nInference: It says so.\nGuess: {guess}; x; y\nCertainty: {certainty}\nEvidence: "{word}"'
        for word, (attribute, guess, certainty, _) in TELLING.items()
        if word in text
    ]
    return "\n\n".join(blocks) or "Type: age\nInference: Nothing.\nGuess: none\nCertainty: 1"


def _rewrite(asked: str) -> str:
    text = asked.partition("The text:\n")[2]
    word = next((one for one in TELLING if one in text), "")
    return f"I make {word} wider.\n#\n" + (text.replace(word, TELLING[word][3]) if word else text)


def _judge(asked: str) -> str:
    new = re.split(r"\n\nRewritten:\n", asked)[1]
    gone = sum(wide in new for _, _, _, wide in TELLING.values())
    return f'Some is left.\n{{"readability": 10, "meaning": {MEANING[gone]}, "hallucination": 1}}'


REPLIES = {"infer": _infer, "rewrite": _rewrite, "judge": _judge}

COMMENTS = ("I am a nurse in Porto.", "Now I am 34, and happy.")


def profiles(count: int) -> list[Profile]:
    """Return profiles of two comments each."""
    truth = {"occupation": "nurse", "location": "Porto", "age": "34", "gender": "female"}
    return [Profile(f"p{n}", truth, tuple(f"{one} Number {n}." for one in COMMENTS)) for n in range(count)]


def config_of(**parts: dict[str, Any]) -> Config:
    """Return the shipped numbers with a few profiles held out, and others in some parts."""
    numbers = read_config().model_dump()
    numbers["trajectories"] |= {"test_profiles": 1, "validation_profiles": 1}
    for name, part in parts.items():
        numbers[name] |= part
    return Config.model_validate(numbers)


def roles(model: BaseChatModel) -> dict[Any, Teacher]:
    """Return a model in all three roles."""
    one = make_teacher(model)
    return dict.fromkeys(("anonymizer", "attacker", "judge"), one)


def main(arguments: Sequence[str]) -> None:
    """Simulate, one text after the other, and die."""
    from gama.training.seal.trajectories import prepare, run

    out, die = Path(arguments[0]), int(arguments[1])
    teacher = ScriptedTeacher(log=out / "paid.log", die=die)
    run(prepare(profiles(6), roles(teacher), config_of(), out), lambda name: None, at_once=2)


if __name__ == "__main__":
    main(sys.argv[1:])
