"""Sums of money, with the kind that the words around them suggest; privacy is left to the context."""

import re
from collections.abc import Iterator

from gama.state.entities import Span
from gama.tools.recognizers._text import PlainText, plain, word_char
from gama.tools.recognizers.base import hit

_SIGN = r"(?:US\$|A\$|C\$|CA\$|AU\$|NZ\$|HK\$|S\$|R\$|NT\$|MX\$|GH₵|[$€£¥₹₽₩₺₦₪₫₱฿₴₵₡₲₸])"
_CODE = (
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB"
    r"|UAH|ZAR|KES|NGN|GHS|EGP|MAD|AED|SAR|QAR|"
    r"KWD|BHD|OMR|ILS|BRL|MXN|ARS|CLP|COP|PEN|UYU|SGD|MYR|IDR|THB|VND|PHP|KRW|TWD|HKD|PKR|LKR|BDT"
    r"|NPR|GEL|KZT|UZS|ETB|TZS|UGX|XOF|XAF|NIS|"
    r"BTC|ETH|USDT|USDC|SOL|KSh|Ksh|Rs\.?|Rp\.?|RM|Kč|zł|Ft|Gs\.?|kr\.?|Fr\.?|SFr\.?|Tk\.?|Lei|lei"
    r"|лв\.?|руб\.?|грн\.?|元|円|원)"
)
_WORD = (
    r"(?:euros?|dollars?|bucks|pounds?(?: sterling)?|quid|pence|cents?|francs?|yen|yuan|rupees?"
    r"|rubles?|roubles?|pesos?|kron(?:or|er|a|e)|"
    r"zloty(?:ch|s)?|złotych|złote|lira|shillings?|rand|reais|real|dirhams?|dinars?|riyals?|naira"
    r"|baht|ringgit|dong|won|forints?|leva|lev|"
    r"shekels?|tenge|hryvnia|grand|eur|usd|gbp|chf|sek|nok|dkk|pln|aud|cad|btc|eth|zł|kr|lv|km|лв)"
)
_NUMBER = r"(?:\d{1,3}(?:[ ,.']\d{2,3}){1,5}(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,8})?)(?:[.,]-{1,2}|/-)?"
_SCALE = (
    r"(?: ?(?:million|billion|thousand|hundred|mil|mio\.?|mrd\.?|lakhs?|crores?|LPA|lpa|triệu|tr|mln"
    r"|tys\.?|tsd\.?|bn|M|m|k|K)(?![A-Za-zÀ-ӿ]))?"
)
_PERIOD = (
    r"(?:(?: ?/ ?| (?:a|an|per|each|every|pro|par|al|por|na|im|p\.) ?)(?:month|mo|mth|year|yr|yrs"
    r"|annum|week|wk|weekly|day|night|hour|hr|h|fill|p\.?m\.?|p\.?a\.?|"
    r"monat|jahr|woche|tag|stunde|mois|an|année|semaine|jour|heure|mes|año|semana|hora|mese|anno"
    r"|mês|ano|maand|jaar|uur|miesiąc|rok|[am]\.)"
    r"(?![A-Za-zÀ-ӿ])| (?:p\.m\.|p\.a\.|pm|pa|pcm|monthly|weekly|annually|yearly|monatlich|par mois)(?![A-Za-zÀ-ӿ]))?"
)

# Accepts: £544 a month, € 7,312, US$1,204.60 and R$ 640 mil (the letters are added behind), $12k, ₱1.9 million.
# Refuses: $VARIABLE; $1 in code (`_code`).
_SIGNED = re.compile(rf"[$€£¥₹₽₩₺₦₪₫₱฿₴₵₡₲₸] {{0,2}}{_NUMBER}{_SCALE}{_PERIOD}")
_SIGN_LETTERS = re.compile(r"(?:(?<=^)|(?<=[^0-9A-Za-z_]))(?:US|A|C|CA|AU|NZ|HK|S|R|NT|MX|GH)$")

# Accepts: CHF 487.30, Rs. 4,75,000, usd 310, GBP 2,500.00, R 85 000, Q 2,340.50. Refuses: Q1 and K4 (no such sum
# below a hundred).
_CODED = re.compile(
    rf"(?:{_CODE}|usd|eur|gbp|chf|[RQK](?= ?\d{{1,3}}[ ,.]\d{{2,3}}(?!\d)"
    rf"| ?[1-9]\d{{2,6}}(?![\w-]))) {{0,2}}{_NUMBER}{_SCALE}{_PERIOD}"
)

# Accepts: 9,800 EUR, 96 400 euros, 1 240 lv, 15 €, 35,50 €, 4.700 kr., 2 quid, 0.084 BTC, 78 eur, 50p. Refuses: 12
# pounds of
# flour is accepted as money on purpose? No: a unit word followed by "of" is refused.
_AFTER = re.compile(
    rf"(?<![0-9.,:/$€£¥₹₽₩₺₦₪₫₱-]){_NUMBER}{_SCALE} ?(?:{_SIGN}|{_CODE}(?![A-Za-zÀ-ӿ])"
    rf"|(?<=[0-9 km])(?:{_WORD})(?![A-Za-zÀ-ӿ])(?! of ))\.?{_PERIOD}"
)

# Accepts: 12k a month, 1480 a month, 13k, 1.9k: sums without a currency, if a period or a money word stands beside.
_BARE = re.compile(
    rf"(?<![0-9.,:/$€£¥₹₽₩₺₦₪₫₱-])\d{{1,3}}(?:[.,]?\d{{1,3}})?(?:k(?![A-Za-z])(?:{_PERIOD})|(?: |/)(?:a month"
    r"|a week|a year|per month|/month|/mo|pcm|p\.m\.))"
)

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (subtype, re.compile(rf"(?<![a-zà-ÿ])(?:{words})"))
    for subtype, words in (
        ("social_security_payment",
            r"benefits?|social security|universal credit|\bssi\b|ssdi|unemployment|allowance"
            r"|state pension|pension|snap|jobseeker|pip\b|arbeitslosengeld|rente\b|maintenance grant"),
        ("income",
            r"salary|(?:(?:monthly|present|base|net|gross|unchanged|sick|same|my|her|his|the"
            r"|of) )+pay(?![a-z])|turnover|wages?|earn|income|pays? me|paid me|pay rate|take[- ]home"
            r"|net pay|gross|base pay|stipend|\brate\b|per hour|/h|an hour|remuneration|gehalt|lohn"
            r"|salaire|sueldo|salario|stipendio|salário|pensja|payroll|makes?\b|fee for my|day rate"),
        ("bonus", r"bonus|commission|prämie|prime de|thirteenth"),
        ("credit_limit", r"limit|overdraft|cap of|kreditrahmen|plafond"),
        ("loan",
            r"loan|mortgage|debts?|owes?|owed|borrow|lent|arrears|kredit|darlehen|prêt|hypothe"
            r"|préstamo|prestito|instal?ments?|repay|principal|outstanding"),
        ("balance",
            r"balance|stands at|brokerage|pot is|pot was|left in|saved|own funds|savings?"
            r"|in the account|in my account|account holds|kontostand|solde|saldo|checking"),
        ("tax_payment",
            r"tax(?:es)?|hmrc|irs|withholding|refund (?:of|was)|refund from|vat due|steuer|impôt"
            r"|impuesto|national insurance|council tax"),
        ("investment_return", r"dividend|gains?|returns?|interest|profit|yield|rendite|portfolio"),
        ("expenses",
            r"rent|bills?|fees?|costs?|charged?|deductible|premium|subscription|expenses?|spend|spent"
            r"|paid|pay\b|quote[ds]?|copay|total|miete|loyer|alquiler|affitto|huur|tuition|groceries"
            r"|monthly charge|repairs?|hotel"),
    )
)  # fmt: skip


# A sum for an hour or a year's package is what somebody earns.
_HOURLY = re.compile(r"(?:/| an? | per )(?:h|hr|hour)$|lpa$")


class MoneyRecognizer:
    """Finds sums with a currency on either side, their period kept inside."""

    name = "money"
    subtypes = (
        "amount", "balance", "bonus", "credit_limit", "expenses", "income", "investment_return", "loan",
        "social_security_payment", "tax_payment",
    )  # fmt: skip
    priority = 0

    def find(self, text: str) -> Iterator[Span]:
        """Yield sums; the subtype follows the nearest money word around, else `amount`."""
        body = plain(text)
        if not body.has_digit:
            return
        for start, end, score in _sums(body):
            end = start + len(body[start:end].rstrip(" "))
            if not (body[start] == "$" and _code(body, start, end)):
                yield hit(start, end, _kind(body.low, start, end), self.name, score=score)


def _sums(body: PlainText) -> Iterator[tuple[int, int, float]]:
    for match in _SIGNED.finditer(body):
        letters = _SIGN_LETTERS.search(body[max(0, match.start() - 3) : match.start()])
        yield match.start() - len(letters[0] if letters else ""), match.end(), 0.85
    for match in _CODED.finditer(body):
        if match.start() == 0 or not word_char(body[match.start() - 1]):
            yield *match.span(), 0.85
    for at in body.numbers:
        after = _AFTER.match(body, at)
        if after:
            yield *after.span(), 0.8
        elif bare := _BARE.match(body, at):
            yield *bare.span(), 0.45


def _code(body: str, start: int, end: int) -> bool:
    # "$1" in a shell line or a substitution: a lone digit behind a dollar that stands beside quotes or code signs.
    return end - start == 2 and (
        body[max(0, start - 1) : start] in tuple("\"'{(\\/=") or body[end : end + 1] in tuple("\"'});/")
    )


def _kind(low: str, start: int, end: int) -> str:
    if _HOURLY.search(low[start:end]):
        return "income"
    before, after = low[max(0, start - 48) : start], low[end : end + 28]
    stop = max(before.rfind(". "), before.rfind("\n\n"), before.rfind("; "))
    before = before[stop + 1 :]
    best, distance = "amount", 100
    for subtype, regex in _KINDS:
        for found in regex.finditer(before):
            if len(before) - found.end() < distance:
                best, distance = subtype, len(before) - found.end()
        found_after = regex.search(after)
        if found_after and found_after.start() + 6 < distance:
            best, distance = subtype, found_after.start() + 6
    return best


def money_recognizer() -> MoneyRecognizer:
    """Return the recognizer of sums of money."""
    return MoneyRecognizer()
