"""A program that is killed: it runs GAMA in children, which die by SIGKILL when a checkpoint has been saved.

Reads one JSON object a line: `home`, `model` (address), `thread`, `question`, `environment`, and optionally `store`
and `die`: which save the child dies after, or, with `before`, in front of: `[kind, number]`, where the kind is `step`,
`writes` or `any`. Writes one line with the child's process id when it starts, and one when it is gone.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path


def main() -> None:
    # Imported and computed once, so that a child starts quickly; what starts threads is left to the children.
    import faiss  # noqa: F401
    import langchain_openai  # noqa: F401
    import onnxruntime  # noqa: F401
    import psycopg  # noqa: F401
    import tokenizers  # noqa: F401

    from gama.models.shipped import word_vectors
    from gama.privacy.finders import patterns
    from gama.state.options import Options
    from gama.tools.domains.analysis import analyse

    patterns(Options())("+44 7700 900461")
    analyse("What is the notice period of a lease?", words=word_vectors())
    assert threading.active_count() == 1, "a fork would lose threads"

    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run(job)
                code = 0
            finally:
                sys.stderr.flush()
                os._exit(code)
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        print(json.dumps({"signal": signalled, "code": os.waitstatus_to_exitcode(status)}), flush=True)


def run(job: dict) -> None:
    from gama.graph.client import Gama
    from gama.state.errors import InputError
    from gama.state.options import Options

    os.environ.update(job.get("environment", {}))
    watch_saves(Path(job["home"]) / "saves.log", job.get("die"), before=job.get("before", False))
    # The published choice asks several experts about this text.
    options = Options(
        public_model="openai:loop", public_base_url=job["model"], disprove="v1", max_rounds=1, k=3, topk_mode="paper"
    )
    gama = Gama(options, home=Path(job["home"]), store=job.get("store"))
    reply = None
    try:
        steps = gama.watch("", thread=job["thread"], resume=True)
        for step in steps:
            reply = step.reply
    except InputError:
        # Nothing was saved yet: a user would ask again.
        for step in gama.watch(job["question"], thread=job["thread"]):
            reply = step.reply
    gama.close()
    (Path(job["home"]) / "reply.json").write_text(json.dumps(reply))


def watch_saves(log: Path, die: list | None, *, before: bool) -> None:
    """Note every save with what it held, and die at one of them."""
    from gama.vault.encrypted_saver import EncryptedSaver

    lock, counts = threading.Lock(), {"step": 0, "writes": 0, "any": 0}
    put, put_writes = EncryptedSaver.put, EncryptedSaver.put_writes

    def saved(kind: str, names: list[str], save):
        with lock:
            counts[kind] += 1
            counts["any"] += 1
            dies = die in ([kind, counts[kind]], ["any", counts["any"]])
            number = counts[kind]
        if before and dies:
            os.kill(os.getpid(), signal.SIGKILL)
        result = save()
        with log.open("a") as file:
            file.write(json.dumps({"number": number, "kind": kind, "names": names}) + "\n")
        if not before and dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def watched_put(self, config, checkpoint, metadata, versions):
        names = sorted(checkpoint.get("updated_channels") or ())
        return saved("step", names, lambda: put(self, config, checkpoint, metadata, versions))

    def watched_writes(self, config, writes, task_id, task_path=""):
        channels = {channel for channel, _ in writes}
        names = [answer.domain for channel, value in writes if channel == "answers" for answer in value]
        names += [role for role, channel in (("fuse", "draft"), ("disprove", "verdict")) if channel in channels]
        return saved("writes", names, lambda: put_writes(self, config, writes, task_id, task_path))

    setattr(EncryptedSaver, "put", watched_put)  # noqa: B010 - a type checker knows these as methods
    setattr(EncryptedSaver, "put_writes", watched_writes)  # noqa: B010


if __name__ == "__main__":
    main()
