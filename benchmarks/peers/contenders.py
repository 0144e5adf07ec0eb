"""The contenders: each loads its library and the weights, and returns what is to be timed.

All are asked for the scores of one span, with the whole text given. What each of them computes:

- `bare pass`: one forward pass over the text with SDPA, logits included. Not an attribution.
- `tokengeist attention`: mean attention of all heads, summed over each sentence.
- `at2 uniform`: the same quantity, by at2's estimator with its initial, equal weights.
- `inseq attention`: the attention of every token of the span to every token, averaged over heads
  here; a forward pass for each token of the span.
- `tokengeist ablation` and `context-cite`: random halves of the sentences, and a lasso over them.
  As many halves for both, an eighth of the default of both: each of them is a pass of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers.question import Question

if TYPE_CHECKING:
    from tokengeist.attribution.protocol import Attributor

Answer = Callable[[], Sequence[float]]

ABLATIONS = 8


def bare_pass(question: Question) -> Answer:
    import torch

    model, tokenizer = _model_and_tokenizer(question)
    text = _prompt(tokenizer, question) + question.response

    def answer() -> Sequence[float]:
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            model(input_ids=ids, use_cache=False)
        return []

    return answer


def tokengeist_attention(question: Question) -> Answer:
    from tokengeist.attribution.attention import AttentionAttributor
    from tokengeist.models.loading import load_model

    return _read_and_score(AttentionAttributor(load_model(question.model)), question)


def tokengeist_ablation(question: Question) -> Answer:
    from tokengeist.attribution.ablation import AblationAttributor, AblationOptions
    from tokengeist.models.loading import load_model

    options = AblationOptions(source_ablations=ABLATIONS)
    return _read_and_score(
        AblationAttributor(load_model(question.model), options=options), question
    )


def at2_uniform(question: Question) -> Answer:
    _split_sentences_offline()
    from at2.attribution.attributors import ScoreEstimationAttributor
    from at2.attribution.features import AttentionFeatureExtractor
    from at2.attribution.score_estimators import LinearScoreEstimator
    from at2.tasks import SimpleContextAttributionTask

    model, tokenizer = _model_and_tokenizer(question)
    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    # at2 guesses the architecture from the directory's name unless it is told.
    estimator = LinearScoreEstimator(AttentionFeatureExtractor(layers, heads, model_type="llama"))

    def answer() -> Sequence[float]:
        task = SimpleContextAttributionTask(
            context=question.context,
            query=question.query,
            model=model,
            tokenizer=tokenizer,
            source_type="sentence",
        )
        task.set_generation(question.response)
        attributor = ScoreEstimationAttributor(task, estimator)
        scores = attributor.get_attribution_scores(start=question.start, end=question.end)
        return [float(score) for score in scores]

    return answer


def inseq_attention(question: Question) -> Answer:
    import inseq

    model, tokenizer = _model_and_tokenizer(question)
    model.set_attn_implementation("eager")  # as inseq loads a model itself; SDPA gives no weights
    # inseq drops every token that equals the padding token, the chat markup's if it is that.
    tokenizer.pad_token = "<|endoftext|>"
    loaded = inseq.load_model(model, "attention", tokenizer=tokenizer)
    prompt = _prompt(tokenizer, question)
    tokens = tokenizer(prompt + question.response, add_special_tokens=False)
    first = tokens.char_to_token(len(prompt) + question.start)
    last = tokens.char_to_token(len(prompt) + question.end - 1)

    def answer() -> Sequence[float]:
        found = loaded.attribute(
            prompt,
            prompt + question.response,
            attr_pos_start=first,
            attr_pos_end=last + 1,
            show_progress=False,
        )
        scores = found.sequence_attributions[0].target_attributions
        # (tokens, tokens of the span, layers, heads); NaN where a token cannot see another
        return [float(score) for score in scores.mean((2, 3)).nanmean(1)]

    return answer


def context_cite(question: Question) -> Answer:
    _split_sentences_offline()
    from context_cite import ContextCiter

    model, tokenizer = _model_and_tokenizer(question)

    def answer() -> Sequence[float]:
        citer = ContextCiter(
            model, tokenizer, question.context, question.query, num_ablations=ABLATIONS
        )
        # Its author's way of giving a response instead of generating one.
        citer._cache["output"] = _prompt(tokenizer, question) + question.response
        scores = citer.get_attributions(question.start, question.end, verbose=False)
        return [float(score) for score in scores]

    return answer


CONTENDERS: dict[str, Callable[[Question], Answer]] = {
    "tokengeist attention": tokengeist_attention,
    "bare pass": bare_pass,
    "at2 uniform": at2_uniform,
    "inseq attention": inseq_attention,
    "tokengeist ablation": tokengeist_ablation,
    "context-cite": context_cite,
}


def _read_and_score(attributor: Attributor, question: Question) -> Answer:
    from tokengeist.segmentation import segment
    from tokengeist.transcript import Role, Span, Target, Transcript, Turn

    user = Turn(0, Role.USER, question.prompt)
    assistant = Turn(1, Role.ASSISTANT, question.response)

    def answer() -> Sequence[float]:
        transcript = Transcript((user, assistant))
        reading = attributor.read(transcript, segment(transcript))
        return reading.score(Target(1, (Span(question.start, question.end),)))

    return answer


def _split_sentences_offline() -> None:
    """at2 and context-cite download their sentence splitter's data when they are imported."""
    from importlib.util import find_spec

    import nltk

    found = find_spec("llama_index.core")
    assert found is not None
    assert found.origin is not None
    nltk.data.path.append(str(Path(found.origin).parent / "_static" / "nltk_cache"))
    nltk.download = lambda *_: True


def _model_and_tokenizer(question: Question) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(question.model, dtype=torch.float32)
    model.train(False)
    return model, AutoTokenizer.from_pretrained(question.model)


def _prompt(tokenizer: Any, question: Question) -> str:
    messages = [{"role": "user", "content": question.prompt}]
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
