"""Where a wrong value came from, and whether the right evidence is found (paper, appendix C).

The paper's schema does not say which turns of a hallucination's graph misled the model and which
held the truth that it ignored. A gold target may say so (`corrective_turns`); without that, every
source counts as one that misled. A target whose wrong value was replaced by the right one says what
stood there (`corrected_from`).
"""

from __future__ import annotations

from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.metrics import f1, gold_nodes
from tokengeist.bench.predictions import Prediction
from tokengeist.transcript import Transcript

HALLUCINATED = ("halluc_f1", "corr_f1", "overall_f1")
CORRECTED = ("evidence_f1", "node_f1", "source_f1")
HALLUCINATION_LABELS = {
    "halluc_f1": "Halluc. F1",
    "corr_f1": "Corr. F1",
    "overall_f1": "Overall F1",
    "evidence_f1": "Evidence F1",
    "node_f1": "Node F1",
    "source_f1": "Source F1",
}


def hallucinated_scores(prediction: Prediction, gold: GoldTarget) -> dict[str, float | None]:
    """F1 over the turns that misled, over those that were ignored, and over all of them.

    A part that the gold graph does not have leaves its score undefined.
    """
    predicted = set(prediction.spans)
    ignored = frozenset(gold.corrective)
    misled = gold_nodes(gold) - ignored
    return {
        "halluc_f1": f1(predicted, misled) if misled else None,
        "corr_f1": f1(predicted, ignored) if ignored else None,
        "overall_f1": f1(predicted, gold_nodes(gold)),
    }


def corrected_scores(
    prediction: Prediction, gold: GoldTarget, transcript: Transcript
) -> dict[str, float | None]:
    """F1 over the target's direct evidence, over all turns, and over the original sources.

    A predicted source is what a gold one is: an exogenous turn at which the graph ends.
    """
    dependents = {edge.dependent for edge in prediction.edges}
    ends = {
        turn
        for turn in prediction.spans
        if turn not in dependents and transcript.turns[turn].is_exogenous
    }
    evidence = {e.source for e in prediction.edges if e.dependent == gold.turn}
    return {
        "evidence_f1": f1(evidence, set(gold.sources[gold.turn])),
        "node_f1": f1(set(prediction.spans), gold_nodes(gold)),
        "source_f1": f1(ends, gold.leaves),
    }
