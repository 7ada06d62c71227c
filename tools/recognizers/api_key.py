"""Keys and tokens: known shapes, PEM blocks, and random strings beside words for a secret."""

import math
import re
from collections import Counter
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._patterns import Pattern, PatternRecognizer
from gama.tools.recognizers._text import LEFT, plain
from gama.tools.recognizers.base import hit

_END = r"(?![A-Za-z0-9_-])"

# (words of which one must occur, expression). Each accepts the vendor's documented prefix and length, a little
# loosely in the length, and refuses the bare prefix.
_KNOWN: tuple[tuple[tuple[str, ...], str], ...] = (
    (("akia", "asia", "aroa", "aida"), rf"{LEFT}(?:AKIA|ASIA|AROA|AIDA|AGPA|ANPA)[A-Z0-9]{{16}}{_END}"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{LEFT}gh[pousr]_[A-Za-z0-9]{{20,255}}{_END}"),
    (("github_pat_",), rf"{LEFT}github_pat_[A-Za-z0-9_]{{22,255}}{_END}"),
    (("glpat-", "glptt-", "gldt-"), rf"{LEFT}gl(?:pat|ptt|dt)-[A-Za-z0-9_-]{{16,100}}{_END}"),
    (("xox", "xapp-"), rf"{LEFT}(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{{10,250}}{_END}"),
    (("hooks.slack.com",), r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_+-]{20,120}"),
    (("sk-", "pk-", "rk-"),
        rf"{LEFT}[spr]k-(?:proj-|ant-(?:api\d\d-)?|svcacct-|or-v1-|live-"
        rf"|test-)?[A-Za-z0-9_-]{{16,220}}{_END}"),
    # Stripe, and the many vendors that copied its shape.
    (("_live_", "_test_"), rf"{LEFT}[a-z]{{2,6}}_(?:live|test)_[A-Za-z0-9]{{10,255}}{_END}"),
    (("whsec_",), rf"{LEFT}whsec_[A-Za-z0-9+/=]{{16,100}}"),
    (("aiza",), rf"{LEFT}AIza[A-Za-z0-9_-]{{28,40}}{_END}"),
    (("ya29.",), rf"{LEFT}ya29\.[A-Za-z0-9_-]{{20,400}}{_END}"),
    (("gocspx-",), rf"{LEFT}GOCSPX-[A-Za-z0-9_-]{{20,40}}{_END}"),
    (("hf_",), rf"{LEFT}hf_[A-Za-z0-9]{{30,50}}{_END}"),
    (("npm_",), rf"{LEFT}npm_[A-Za-z0-9]{{36}}{_END}"),
    (("pypi-",), rf"{LEFT}pypi-[A-Za-z0-9_-]{{40,400}}{_END}"),
    (("dop_v1_", "doo_v1_"), rf"{LEFT}do[opr]_v1_[a-f0-9]{{64}}{_END}"),
    (("sg.",), rf"{LEFT}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,64}}{_END}"),
    (("shpat_", "shpss_", "shpca_", "shppa_"), rf"{LEFT}shp(?:at|ss|ca|pa)_[a-fA-F0-9]{{32}}{_END}"),
    (("lin_api_", "ntn_", "secret_"), rf"{LEFT}(?:lin_api_|ntn_|secret_)[A-Za-z0-9]{{30,60}}{_END}"),
    (("eyj",), rf"{LEFT}eyJ[A-Za-z0-9_-]{{8,4000}}\.[A-Za-z0-9_-]{{4,8000}}(?:\.[A-Za-z0-9_-]{{0,2000}})?"),
    (("bot", ":aa"), rf"{LEFT}[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{_END}"),
)  # fmt: skip

# Accepts a whole block of any PEM kind but a public key or certificate, also cut off at the end of the text.
_PEM = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.()\\]|-(?!-)){10,20000}?"
    r"(?:-----END [A-Z0-9 ]{1,40}-----|\Z)"
)

# Accepts: api_key = "…", "token": "…", Authorization: Bearer …, ?token=…, secret key is …, X-Api-Key: ….
# The value is at least 8 characters without spaces; `_random` decides whether it looks drawn, not written.
_BESIDE = re.compile(
    r"(?:api|access|secret|auth|client|private|refresh|session|account|encryption|signing|bot|license|licence)?[ _-]?"
    r"(?:keys?|token|secret|credentials?|apikey|bearer|webhook|cookie|sessionid|jwt|otp_seed|api)"
    r"[\"']?(?:[ \t]{1,3}(?:is|id|in \.env was|was))?[ \t]{0,3}[:= \t]{1,4}[ \t]{0,3}[\"'`<(]{0,2}"
    r"(?:bearer |basic |token )?"
    r"(?P<v>[A-Za-z0-9_+/=.~-]{8,512})"
)
_SECRET_WORDS = ("key", "token", "secret", "credential", "bearer", "webhook", "cookie", "sessionid", "jwt", "api")


def _random(value: str) -> bool:
    """Say whether a string looks drawn at random: classes of characters mixed, and high entropy."""
    body = value.strip("=._-/")
    if len(body) < 8 or not any(char.isdigit() for char in body) or not any(char.isalpha() for char in body):
        return False
    counts = Counter(body)
    entropy = -sum(n / len(body) * math.log2(n / len(body)) for n in counts.values())
    # Bits per character: words of a language stay near 3 at these lengths, drawn strings near log2 of their length.
    return entropy >= min(3.2, 0.8 * math.log2(len(body)))


class ApiKeyRecognizer:
    """Finds keys and tokens."""

    name = "api_key"
    subtypes = ("api_key",)
    priority = 3

    def __init__(self) -> None:
        """Compile the known shapes."""
        known = tuple(Pattern(re.compile(regex), "api_key", 0.98, private=1.0, needs=needs) for needs, regex in _KNOWN)
        pem = Pattern(re.compile(_PEM), "api_key", 0.99, private=1.0, needs=("private key",))
        self._known = PatternRecognizer(self.name, (*known, pem))

    def find(self, text: str) -> Iterator[Span]:
        """Yield keys of known shapes, then random strings behind a word for a secret."""
        body = plain(text)
        yield from self._known.find(body)
        if not body.has_digit:
            return
        for at in _places(body.low):
            match = _BESIDE.match(body.low, at)
            if match:
                start, end = match.span("v")
                end = start + len(body[start:end].rstrip("._-/"))
                if _random(body[start:end]):
                    yield hit(start, end, "api_key", self.name, score=0.85, private=1.0)


def _places(low: str) -> Iterator[int]:
    # A plain search for the words is many times quicker than an expression that may begin anywhere.
    for word in _SECRET_WORDS:
        at = low.find(word)
        while at >= 0:
            yield at
            at = low.find(word, at + len(word))


def api_key_recognizer() -> ApiKeyRecognizer:
    """Return the recognizer of keys and tokens."""
    return ApiKeyRecognizer()
