"""BLEU and ROUGE of one text against another: how much of its wording is kept (spec 02 §2.2.2).

BLEU as GAMA's authors reckon it is sacrebleu's of one sentence, on words as spaces part them, without smoothing: a
text of fewer than four words, or one that shares no four words in a row, scores 0, even where it is the same. ROUGE is
rouge-score's. Figures of a set are means over its texts.
"""

from functools import cache
from typing import Any, Literal

from gama.evals.metrics.subjects import Score

Smoothing = Literal["none", "floor", "add-k", "exp"]
Kind = Literal["rouge1", "rouge2", "rougeL", "rougeLsum"]


def bleu(candidate: str, reference: str, *, smoothing: Smoothing = "none") -> float:
    """Return BLEU of up to four words, from 0 to 1.

    Args:
        candidate: the text that was changed.
        reference: the original.
        smoothing: what stands in for counts of nought; see sacrebleu. Figures of different smoothing do not compare.
    """
    # The score of a corpus of one: that of a sentence is the same, with a warning about short ones.
    return float(_bleu(smoothing).corpus_score([candidate], [[reference]]).score) / 100


def bleu_4(candidate: str, reference: str) -> float:
    """Return BLEU of words as spaces part them, by smoothing method 4 of Chen and Cherry: adversarial anonymization's.

    A text without a word scores 0.
    """
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    words = candidate.split()
    if not words:
        return 0.0
    return float(sentence_bleu([reference.split()], words, smoothing_function=SmoothingFunction().method4))


def rouge(candidate: str, reference: str, kind: Kind = "rougeL", *, stem: bool = True) -> Score:
    """Return precision, recall and F of shared words (`rouge1`), pairs (`rouge2`) or the longest common subsequence.

    rouge-score looks at letters a to z and digits alone: texts in other scripts score 0.
    """
    found = _rouge(kind, stem).score(reference, candidate)[kind]
    return Score(float(found.precision), float(found.recall), float(found.fmeasure))


@cache
def _bleu(smoothing: Smoothing) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize="none", smooth_method=smoothing, force=True)


@cache
def _rouge(kind: Kind, stem: bool) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], use_stemmer=stem)
