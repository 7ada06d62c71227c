"""The loopback server in the roles that the whole graph asks for: experts, fusion, disproof."""

import re
import threading


class Model:
    """The loopback server as a public model: notes who is asked, and can keep one of them waiting."""

    def __init__(self, loopback) -> None:
        self.asked: list[str] = []
        self.holds = ""
        self.held, self.go_on = threading.Event(), threading.Event()
        self.lock = threading.Lock()
        self.url = loopback.url
        loopback.reply = self.reply

    def reply(self, request) -> str:
        who = role(request["messages"][0]["content"])
        with self.lock:
            self.asked.append(who)
        if who == self.holds and not self.go_on.is_set():
            self.held.set()
            self.go_on.wait(600)
        return '{"contradiction": false, "reason": ""}' if who == "disprove" else f"{who}: <name-1> has three months."

    def hold(self, who: str) -> None:
        self.holds = who
        self.held.clear()
        self.go_on.clear()


def role(system: str) -> str:
    if system.startswith("You try to disprove"):
        return "disprove"
    found = re.search(r"You are an expert in ([^:]+):", system)
    return found[1] if found else "fuse"
