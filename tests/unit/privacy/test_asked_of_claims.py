"""What a claim, a suspicious message or a task about a job turns on stays; whose it is does not."""

import pytest

from gama import Anonymizer


@pytest.fixture(scope="module")
def anonymizer():
    return Anonymizer()


CLAIM = (
    "Can I claim from my employer? I hurt my rotator cuff at work, physio said no lifting for six weeks. HR says it is "
    "not their problem. I'm Dale Nguyen-Roe, HIV positive."
)
MESSAGE = (
    'Is this a scam? Go through it.\n\n> From: "Fraud Team" <alerts@natw-secure-review.co>\n'
    "> To: hilarybrocklebank@talktalk.net\n> Dear Hilary, confirm at https://natw-secure-review.co/v/88 within 2 hours."
)


def test_an_injury_that_a_claim_is_about_stays_and_what_one_is_shunned_for_goes(anonymizer):
    out = anonymizer.anonymize(CLAIM).text
    assert "rotator cuff" in out and "Dale" not in out and "HIV" not in out
    assert "rotator cuff" not in anonymizer.anonymize(CLAIM.replace("Can I claim from my employer? ", "")).text


def test_who_sends_what_may_be_a_fraud_and_where_it_leads_stays(anonymizer):
    out = anonymizer.anonymize(MESSAGE).text
    assert "alerts@natw-secure-review.co" in out and "https://natw-secure-review.co/v/88" in out
    assert "hilary" not in out.lower()
    assert "natw-secure" not in anonymizer.anonymize(MESSAGE.replace("Is this a scam?", "Shorten this.")).text


def test_a_job_that_the_task_is_about_stays_without_a_name_beside_it(anonymizer):
    text = "How do I tell my night shift lead that she smells? I manage the team."
    assert anonymizer.anonymize(text).text == text


@pytest.mark.parametrize(
    "text", ["Why does Windows 11 23H2 22631.3880 stop with 0x80070643?", "Is the shop open 1000-1200?"]
)
def test_versions_and_hours_stay(anonymizer, text):
    assert anonymizer.anonymize(text).text == text
