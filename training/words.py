"""Build the static word vectors of `models/shipped.py` from all-MiniLM-L6-v2.

    python -m gama.training.words --out models/weights/words.npz

Takes a few minutes on two cores and no network: the encoder comes with the `train` extra.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DOMAIN_WORDS = (
    "accountant accrual acquittal adjudication admissibility aerodynamics affidavit agronomist agronomy "
    "algorithmic alimony allegory amortization anaesthesia anesthesia antibiotic antidepressant antitrust "
    "appellant arbitrage archaeologist arraignment arthritis asthma astronomer autobiography backpropagation "
    "bankruptcy barrister behaviorism biochemist biodiversity biopsy blockchain bookkeeping brokerage "
    "carbohydrate cardiologist cardiology chemotherapy cholesterol choreography cinematographer cinematography "
    "claimant classroom cognition collateral composting comorbidity complainant conservationist constitutionality "
    "copyright counterparty counterclaim courtroom creditor cryptocurrency cryptography curriculum cybersecurity "
    "cyclist debtor deductible defendant deforestation depreciation dermatology diabetes diabetic diagnosis "
    "diagnostic dialysis didactics diplomacy dividend ecologist econometrics ecosystem electorate "
    "electromagnetism emissions empiricism endocrinology entrepreneur entrepreneurship epidemiology epilepsy "
    "epistemology equities ethnography eviction existentialism fertiliser fertilizer filmmaker foreclosure "
    "forensics freight gastroenterology geneticist genomics geologist geopolitics goalkeeper gynecology habeas "
    "harvesting headteacher healthcare hedging herbicide historian historiography homework hospitalization "
    "humidity hypertension immunology indictment inflation injunction inpatient insolvency insulin invoice "
    "irrigation journalism jurisprudence kindergarten laparoscopy lawsuit layoffs lecturer leukemia linguistics "
    "liquidity litigant litigation logistics macroeconomics malpractice marketing mathematician medication "
    "metaphysics microbiology microeconomics microprocessor midwife migraine misdemeanor monoculture mortgage "
    "musicologist nanotechnology negligence neurology neuroscience novelist nursing nutrition obstetrics "
    "oncologist oncology ophthalmology orchard orthopedic outpatient overdraft paediatrician painkiller paralegal "
    "pathology payroll pedagogy pediatrician perjury pesticide pesticides pharmacist pharmacology philanthropy "
    "philosopher physicist physiotherapy plaintiff playwright plea pneumonia podcast pollution portfolio "
    "prenuptial prescription probate procurement prosecutor prosthesis psychiatrist psychoanalysis psychotherapy "
    "quantum radiology railway recidivism recycling referendum refinance reimbursement rheumatology robotics "
    "schizophrenia screenplay screenwriter sculptor securities semiconductor shareholder shareholders sociologist "
    "software solicitor spreadsheet statute statutory stepmother stoicism storytelling subpoena subsidies surgeon "
    "sustainability syllabus symptom tariff taxation telecommunications testimony therapist thermodynamics "
    "tokenization tort trachea tractor traffic trucking tuition tumor tumour usury utilitarianism vaccine "
    "vaccination verdict veterinarian violinist warranty weightlifting whistleblower widower withholding "
    "zoologist"
).split()
"""Words of the twenty reference domains (spec 01 §1.5) that the tokenizer's vocabulary may lack or split."""


@dataclass(frozen=True)
class WordConfig:
    """How the vectors are made."""

    limit: int = 20_000
    """Words kept, the most frequent first: beyond them the vocabulary holds mostly names."""
    components: int = 112
    """Principal components kept: as many as fit the 2.4 MB that the file may take."""
    sif: float = 1e-3
    """The constant a of smooth inverse frequency a / (a + p), the middle of the range its authors advise."""
    batch: int = 256
    """Words embedded at a time."""


def vocabulary(tokens: Iterable[str], limit: int) -> list[str]:
    """Return whole alphabetic lower-case words: the domain words, then the vocabulary by frequency.

    Args:
        tokens: The tokenizer's vocabulary in the order of its ids, which is by falling frequency.
        limit: How many words to keep.

    Returns:
        Distinct words. The domain words missing from the vocabulary stand at the end, as the rarest.
    """
    known = [token for token in tokens if len(token) > 1 and token.isascii() and token.isalpha() and token.islower()]
    # A domain word beyond the limit must not fall off: it takes the place of the rarest others.
    rare = [word for word in dict.fromkeys(DOMAIN_WORDS) if word not in set(known[:limit])]
    kept = known[: max(0, limit - len(rare))]
    return kept + rare


def frequency_weights(count: int, sif: float) -> NDArray[np.float32]:
    """Return a / (a + p) for words of rank 1 … count, p by Zipf's law."""
    ranks = np.arange(1, count + 1, dtype=np.float64)
    share = (1.0 / ranks) / np.sum(1.0 / ranks)
    return np.asarray(sif / (sif + share), dtype=np.float32)


def reduce(vectors: NDArray[np.float32], components: int) -> NDArray[np.float32]:
    """Centre the rows and keep their first principal components (the sign of each is fixed by its largest entry)."""
    centred = vectors - vectors.mean(axis=0, keepdims=True)
    _, axes = np.linalg.eigh(centred.T.astype(np.float64) @ centred.astype(np.float64))
    axes = axes[:, ::-1][:, :components]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return np.asarray(centred @ axes, dtype=np.float32)


def encode(words: list[str], batch: int) -> NDArray[np.float32]:
    """Embed each word by all-MiniLM-L6-v2: mean of its pieces' last states, unit length."""
    import torch

    from gama.training.encoder import load_encoder, load_tokenizer

    tokenizer, encoder = load_tokenizer(), load_encoder()
    encoder.eval()
    tokenizer.enable_padding()
    rows: list[Any] = []
    with torch.inference_mode():
        for first in range(0, len(words), batch):
            encodings = tokenizer.encode_batch(words[first : first + batch])
            ids = torch.tensor([encoding.ids for encoding in encodings])
            mask = torch.tensor([encoding.attention_mask for encoding in encodings])
            states = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
            mean = (states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
            rows.append(torch.nn.functional.normalize(mean, dim=1).numpy())
    return np.concatenate(rows).astype(np.float32)


def build(out: Path, config: WordConfig | None = None) -> int:
    """Make the vectors and write them to `out`.

    Returns:
        The size of the file in bytes.
    """
    from gama.training.encoder import load_tokenizer

    config = config or WordConfig()
    by_id = sorted(load_tokenizer().get_vocab().items(), key=lambda item: item[1])
    words = vocabulary((token for token, _ in by_id), config.limit)
    vectors = reduce(encode(words, config.batch), config.components)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    scales = np.abs(vectors).max(axis=1) / 127.0
    rows = np.round(vectors / scales[:, None]).astype(np.int8)
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out,
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        rows=rows,
        scales=scales.astype(np.float16),
        weights=frequency_weights(len(words), config.sif).astype(np.float16),
    )
    return out.stat().st_size


def main(argv: list[str] | None = None) -> int:
    """Run the command of the module's docstring."""
    parser = argparse.ArgumentParser(description="Build the static word vectors.")
    parser.add_argument("--out", type=Path, required=True, help="the .npz file to write")
    arguments = parser.parse_args(argv)
    print(f"{arguments.out}: {build(arguments.out):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
