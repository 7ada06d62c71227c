"""What texts still tell of their writers when all that is named is hidden: no promise covers it, the audit shows it."""

from gama.evals.anonymize import UNSEEN, read_people
from gama.evals.audit.report import Report, Told
from gama.privacy.anonymizer import Anonymizer
from gama.privacy.refining.engine import attack
from gama.state.options import Options

TEXTS = 5
"""Texts that are attacked."""


def tell_context(report: Report) -> None:
    """Attack texts of made-up people, once their placeholders are in, by the embedded attacker.

    Args:
        report: is given what was inferred.
    """
    anonymizer = Anonymizer(Options())
    for person in read_people(UNSEEN.with_name("written.jsonl"))[:TEXTS]:
        view = anonymizer.anonymize(person.text)
        report.context_texts += 1
        report.context += [
            Told(person.id, one.attribute, one.guesses[0], one.certainty, list(one.sentences))
            for one in attack(anonymizer.pipeline, view.text)
        ]
