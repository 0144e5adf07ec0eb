"""docs/architectures.md says what the tests beside this one prove, and nothing else.

`python -m tests.models.test_architectures` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

from tests.models.tiny import ARCHITECTURES, REFUSED

PAGE = Path(__file__).parents[2] / "docs" / "architectures.md"

HEAD = """\
# Architectures

Attention is captured through transformers' attention registry, so a model is read if its attention
goes through that registry; nothing depends on a model's name. Each line of the first table stands
for a test (`tests/models/test_capture.py`): on a tiny random model with large queries and keys,
read beyond its sliding window, every captured weight equals what `output_attentions=True` returns,
and the model's output does not change. The paper's four models are `llama` (Llama-3.1), `qwen2`
(Qwen2.5, DeepSeek-R1-Distill-Qwen) and `phi3` (Phi-4-mini).

This page is written by `python -m tests.models.test_architectures`, and a test keeps it current.
"""


def page() -> str:
    """The page as the tests have it."""
    captured = [f"| `{a.model_type}` | {a.what} |" for a in ARCHITECTURES]
    refused = [f"| `{a.model_type}` | {a.what} |" for a in REFUSED]
    return "\n".join(
        [
            HEAD,
            "| captured | what it has |",
            "| --- | --- |",
            *captured,
            "",
            "Layers without attention weights have nothing to give: a model that has them is",
            "refused by name before anything is read.",
            "",
            "| refused | why |",
            "| --- | --- |",
            *refused,
            "",
        ]
    )


def test_the_page_is_what_the_tests_prove() -> None:
    assert PAGE.read_text("utf-8") == page()


def test_at_least_fifteen_architectures_are_captured() -> None:
    assert len({architecture.model_type for architecture in ARCHITECTURES}) >= 15


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
