"""Handles of social networks and chats."""

import re
from collections import Counter
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._labels import Label, LabelRecognizer
from gama.tools.recognizers._text import plain
from gama.tools.recognizers.base import hit

# Accepts: @name, @first.last, ＠name beside CJK, u/name, @user@host of the fediverse. Refuses: e-mail addresses,
# decorators (@app.get(…),
# @Override at a line's start in code), npm scopes (@types/node), CSS at-rules, @everyone.
_AT = re.compile(
    r"(?<![0-9A-Za-z_.@/+-])@(?P<n>[A-Za-z_][A-Za-z0-9_]{1,29}(?:[.-][A-Za-z0-9_]{1,20}){0,3})"
    r"(?![A-Za-z0-9_]|/[A-Za-z])(?:@[A-Za-z0-9-]{1,40}(?:\.[A-Za-z]{2,20}){1,2})?"
)
_REDDIT = re.compile(r"(?<![0-9A-Za-z_])/?u/(?P<n>[A-Za-z0-9_-]{3,24})(?![A-Za-z0-9_/-])")

# A chat line's speaker, when written as a user name (digits, underscores or dots): "joybanks_lifts: had my nap".
_SPEAKER = re.compile(
    r"^(?:\[[^\]\n]{1,24}\] {0,2}|> ?)?(?P<v>[a-z0-9]+(?:[._-][a-z0-9]+)+|[A-Za-z]+_[A-Za-z0-9_]+"
    r"|[a-z]{2,20}\d{1,6})(?=: [^\s])",
    re.MULTILINE,
)

_NOT_PEOPLE = frozenset(
    "everyone here channel all media import charset keyframes font-face supports override param"
    " return returns throws deprecated see since "
    "author version property staticmethod classmethod dataclass pytest app test given component"
    " injectable input output autowired bean "
    "nullable notnull entity table column id getter setter data builder before after app.route"
    " layer apply tailwind include extend mixin "
    "types angular vue babel date time".split()
)

_CODE_WORDS = (
    "def ", "class ", "async ", "public ", "private ", "protected ", "@", "fun ", "func ", "export ", "static ",
)  # fmt: skip

_WORDS = (
    "username", "user name", "user_name", "handle", "screen name", "screenname", "nick", "nickname", "ign",
    "gamertag", "discord", "telegram", "tg",
    "insta", "instagram", "ig", "twitter", "snapchat", "snap", "tiktok", "wechat", "skype", "venmo", "cashapp",
    "line id", "kik", "twitch", "steam",
    "login", "user", "account name", "benutzername", "nom d'utilisateur", "pseudo", "usuario", "nome utente",
    "gebruikersnaam", "微信", "微信号", "sbd",
)  # fmt: skip

# A handle behind its label: a user name's form, with a digit, dot, dash or underscore inside, or an @ or $ before it.
_NAME = re.compile(
    r"(?P<v>[@$][A-Za-z0-9_.-]{2,30}|[A-Za-z0-9]{1,24}(?:[._-][A-Za-z0-9]{1,24}){1,3}"
    r"|[A-Za-z]{2,20}[0-9]{1,6})(?![A-Za-z0-9_@:/(]|\.[A-Za-z])"
)


class HandleRecognizer:
    """Finds handles by their sign, by their label, and as speakers of a chat."""

    name = "handle"
    subtypes = ("handle",)
    priority = 0

    def __init__(self) -> None:
        """Prepare the labels."""
        self._labelled = LabelRecognizer(
            self.name, (Label(_WORDS, _NAME, "handle", 0.65, private=None, check=_is_name),), needs_digit=False
        )

    def find(self, text: str) -> Iterator[Span]:
        """Yield handles."""
        body = plain(text)
        if "@" in body:
            for match in _AT.finditer(body):
                if match["n"].lower() not in _NOT_PEOPLE and not _decorator(body, *match.span()):
                    yield hit(*match.span(), "handle", self.name, score=0.85, private=0.9)
        if "u/" in body:
            for match in _REDDIT.finditer(body):
                yield hit(*match.span(), "handle", self.name, score=0.85, private=0.9)
        yield from self._labelled.find(body)
        yield from self._speakers(body)

    def _speakers(self, body: str) -> Iterator[Span]:
        # One such line may be a key of a configuration file; two by the same name are a conversation.
        found = list(_SPEAKER.finditer(body))
        times = Counter(match["v"] for match in found)
        for match in found:
            if times[match["v"]] > 1:
                yield hit(*match.span("v"), "handle", self.name, score=0.6)


def _is_name(value: str) -> bool:
    return value.strip("@$").lower() not in _NOT_PEOPLE and not re.fullmatch(
        r"[\d.,$-]+|e-mail|[a-z]{1,3}\.[a-z]{1,3}\.?|[a-z]{1,3}-\d+", value, re.IGNORECASE
    )


def _decorator(body: str, start: int, end: int) -> bool:
    """Say whether an @word opens a line of code: `@app.get("/")`, `@Override`, `@media (…)`."""
    # Only as far as an indentation reaches, so that a text of one endless line costs nothing.
    indent = body[max(0, start - 40) : start].rpartition("\n")
    if indent[2].strip() or (not indent[1] and start > 40):
        return False
    rest, _, following = body[end : end + 200].partition("\n")
    return rest.startswith("(") or (not rest.strip() and following.lstrip().startswith(_CODE_WORDS))


def handle_recognizer() -> HandleRecognizer:
    """Return the recognizer of handles."""
    return HandleRecognizer()
