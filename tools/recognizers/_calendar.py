"""Names of months and weekdays in eleven languages, in lower case, as expression parts."""

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar jänner jaenner februar feber märz maerz mai juni juli oktober dezember mär okt dez
janvier février fevrier mars avril juin juillet août aout septembre octobre novembre décembre decembre janv
févr avr juil déc
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr ago dic
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre genn febbr apr mag giu lug sett ott
janeiro fevereiro março marco maio junho julho setembro outubro novembro dezembro fev
januari februari maart mei augustus mrt
styczeń stycznia luty lutego marzec marca kwiecień kwietnia maj maja czerwiec czerwca lipiec lipca sierpień sierpnia
wrzesień września październik października listopad listopada grudzień grudnia
augusti januar juni juli desember mars
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
""".split()

_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed weds thu thur thurs fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles miercoles jueves viernes sábado sabado domingo
lunedì lunedi martedì martedi mercoledì mercoledi giovedì giovedi venerdì venerdi sabato domenica
segunda-feira terça-feira quarta-feira quinta-feira sexta-feira
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
poniedziałek wtorek środa środę czwartek piątek sobota sobotę niedziela niedzielę
måndag tisdag onsdag torsdag fredag lördag söndag mandag tirsdag lørdag søndag
понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье
""".split()

_FULL_WEEKDAYS = [
    word for word in _WEEKDAYS if len(word) > 5 or word in ("monday", "friday", "sunday", "lundi", "mardi", "jeudi")
]


def _either(words: list[str]) -> str:
    return "|".join(sorted(set(words), key=lambda word: (-len(word), word)))


MONTH = rf"(?:{_either(_MONTHS)})"
"""A month's name or abbreviation (without its full stop), lower case."""

WEEKDAY = rf"(?:{_either(_WEEKDAYS)})"
"""A weekday's name or abbreviation, lower case."""

MONTHS = frozenset(_MONTHS)

WEEKDAYS = frozenset(_WEEKDAYS)

FULL_WEEKDAYS = tuple(sorted(set(_FULL_WEEKDAYS)))
"""Full names, which are safe without a date beside them."""

CLEAR_MONTHS = tuple(
    """
    january february september october november december august july april june januar februar märz oktober
    dezember janvier février
    avril juillet août septembre octobre novembre décembre enero febrero abril julio agosto septiembre
    octubre noviembre diciembre
    gennaio febbraio aprile luglio settembre ottobre dicembre januari februari augustus
    """.split()
)
"""Months whose full name is hardly ever anything else (May, March and Mark's kin are missing on purpose)."""

ROMAN = r"(?:viii|vii|vi|iv|ix|iii|ii|i|xii|xi|x|v)"
"""A month in Roman numerals, as in 3.ix.1938."""

YEAR = r"(?:1[89]\d\d|20\d\d)"

DAY = r"(?:3[01]|[12]\d|0?[1-9])"

ORDINAL = r"(?:st|nd|rd|th|er|re|º|ª|°|\.|e|de)?"

NUMERIC_DATE = (
    rf"(?:{YEAR}(?P<s1>[-/.])(?:1[0-2]|0?[1-9])(?P=s1){DAY}|(?:{DAY})(?P<s2>[-/.])(?:{DAY})(?P=s2)(?:{YEAR}|'?\d\d)|"
    rf"{DAY}[-./ ]{{1,2}}{ROMAN}[-./ ]{{1,2}}(?:{YEAR}|'?\d\d)|{DAY}[-/. ](?:{MONTH})[-/. ](?:{YEAR}|'?\d\d))"
)
"""ISO, d/m/y, m/d/y, d.m.y, 3.ix.1938, 02-JUL-1949; separators agree. In lower case."""
