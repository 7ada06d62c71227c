"""Records of our own corpus as PII-Bench records; the other way is `gama.evals.corpus.of_bench`."""

from gama.evals.corpus import Mark, Record
from gama.evals.piibench.records import LETTERS, BenchRecord, Fact, Mention, check
from gama.evals.piibench.taxonomy import CATEGORY_OF, TYPE_OF_CATEGORY
from gama.state.errors import InputError


def to_bench(record: Record, split: str = "") -> BenchRecord:
    """Turn a record of the corpus into one of PII-Bench.

    Public knowledge is left out, for PII-Bench has none. What belongs to nobody belongs to one more subject, as in the
    scores. Subjects get the letters from `A` on, by the order of their own. A subtype that PII-Bench has no category
    for gets the nearest one of its type; coming back it is that category's subtype.

    Raises:
        InputError: A mark has no category (a postcode has, a web address has not), or one is of several subtypes;
            names the record and the subtype.
    """
    text = record.example.text
    marks = [mark for mark in record.example.marks if mark.private is not False and mark.subtypes]
    owners = sorted({mark.subject for mark in marks}, key=lambda one: (one is None, one or ""))
    letters = dict(zip(owners, LETTERS, strict=False))
    mentions = []
    for mark in marks:
        category = _category(record, mark)
        fact = Fact(text[mark.start : mark.end], TYPE_OF_CATEGORY[category], category, letters.get(mark.subject, "?"))
        mentions.append(Mention(mark.start, mark.end, fact))
    facts = dict.fromkeys(one.fact for one in mentions)
    needed = tuple(fact for fact in facts if fact.type != "PER" and fact.entity in record.relevant)
    made = BenchRecord(record.id, split, text, record.query, tuple(sorted(mentions)), needed)
    try:
        check(made)
    except InputError as error:
        raise InputError(f"record {record.id!r}: {error}") from None
    return made


def _category(record: Record, mark: Mark) -> str:
    category = CATEGORY_OF.get(mark.subtypes[0]) if len(mark.subtypes) == 1 else None
    if category is None:
        raise InputError(f"record {record.id!r}: PII-Bench has no category for {' or '.join(mark.subtypes)}")
    return category
