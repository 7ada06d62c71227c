"""Passwords, PINs, door codes and one-time codes beside their labels."""

import re

from gama.tools.recognizers._labels import Label, LabelRecognizer

# What a password may be: 3 to 64 characters without spaces. It ends before a closing quote or bracket.
_ANY = re.compile(r"(?P<v>[^\s\"'<>()\[\]{},;]{3,64})")

# A password in running text ("password is Hunter2!") must not look like a plain word: it has a digit or a sign.
_MIXED = re.compile(r"(?P<v>(?=[^\s\"']{0,63}[0-9!@#$%&*?_+=-])[^\s\"'<>()\[\]{},;]{4,64})")

# A quoted password may be words: password is "blue heron".
_QUOTED = re.compile(r"(?<=[\"'«])(?P<v>[^\"'\n»]{3,64})(?=[\"'»])")

# A PIN or door code: 4 to 8 digits in one or two groups, perhaps with * or # around it. Refuses years with a
# month beside, sums, longer numbers.
_PIN = re.compile(
    r"(?P<v>[*#]?(?:[0-9]{4,8}|[0-9]{3}[ -][0-9]{3}|[0-9](?:-[0-9]{1,2}){2,5}"
    r"|[0-9]{2}(?: [0-9]{2}){1,5})[*#]?)(?![0-9A-Za-z]|[.,/:-][0-9])"
)

_PASSWORD_WORDS = (
    "password", "passwd", "pwd", "passphrase", "passcode", "pass word", "sasl_pass", "db_pass", "pass", "pw",
    "passwort",
    "kennwort", "mot de passe", "mdp", "contraseña", "clave", "parola d'ordine", "password di accesso", "senha",
    "palavra-passe", "wachtwoord", "hasło", "haslo", "lösenord", "adgangskode", "passord", "salasana", "heslo",
    "jelszó",
    "parolă", "пароль", "şifre", "密码", "密碼", "パスワード", "비밀번호", "secret", "security answer", "secret answer",
    "reset to", "temp login", "wifi key",
)  # fmt: skip

_PIN_WORDS = (
    "pin", "pin code", "pincode", "pin number", "door code", "gate code", "entry code", "access code", "alarm code",
    "alarm",
    "key code", "lock code", "locker code", "security code", "one-time code", "one time code", "otp",
    "verification code",
    "login code", "2fa code", "sms code", "code for gate", "key safe", "combination", "combination is", "safe code",
    "voicemail code",
    "geheimzahl", "türcode", "code porte", "digicode", "código de acceso", "codice di accesso", "toegangscode",
    "kod do drzwi",
    "barrier code", "code from the text", "class portal", "tan", "验证码", "暗証番号",
)  # fmt: skip

# Words that follow "password" in ordinary sentences.
_WORDS = frozenset(
    "reset resets policy manager protected field change changed expired expires required"
    " requirements strength hint login and or for "
    "the a an my your is was were must should has have hash hashes hashing that this not no none"
    " null true false string input type "
    "with from when which via page sharing less again before after form forgotten lost incorrect"
    " wrong invalid ok yes".split()
)


def _not_prose(value: str) -> bool:
    return value.lower().strip(".!?:") not in _WORDS and not value.startswith(("http", "//", "…", "..."))


def _code_like(value: str) -> bool:
    plain_year = len(value) == 4 and value.isdigit() and 1990 <= int(value) <= 2035
    return not plain_year


def password_recognizer() -> LabelRecognizer:
    """Return the recognizer of passwords and PINs."""
    return LabelRecognizer(
        "password",
        (
            Label(_PASSWORD_WORDS, _QUOTED, "password", 0.9, check=_not_prose, glued=True),
            Label(_PASSWORD_WORDS, _MIXED, "password", 0.85, check=_not_prose),
            Label(_PASSWORD_WORDS, _ANY, "password", 0.8, check=_not_prose, strict=True, glued=True),
            Label(_PIN_WORDS, _PIN, "password", 0.85, check=_code_like, filler=True),
        ),
        priority=2,
        needs_digit=False,
    )
