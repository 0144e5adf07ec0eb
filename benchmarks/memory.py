"""Figure 4: peak memory of a reading over that of a bare pass, each in a process of its own.

`python -m benchmarks.memory bare|reading TOKENS` prints the peak of one pass in MiB.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

LAYERS, HEADS, KEY_HEADS, HIDDEN = 2, 9, 3, 576
"""The embedded model's shape with random weights, fewer layers and a large window."""


def peak(mode: str, tokens: int) -> float:
    """The peak of one pass in MiB, measured in a fresh process."""
    root = Path(__file__).parents[1]
    path = os.pathsep.join([str(root / "src"), str(root)])
    result = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", mode, str(tokens)],
        capture_output=True,
        text=True,
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
    )
    return float(result.stdout)


def _run(mode: str, tokens: int) -> None:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from tokengeist.models.capture import Rows, SourceSums, capture

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1000,
        hidden_size=HIDDEN,
        intermediate_size=1536,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=1 << 17,
    )
    model = LlamaForCausalLM(config)
    model.train(False)
    ids = torch.randint(0, 1000, (tokens,)).tolist()
    if mode == "bare":
        with torch.inference_mode():
            model.base_model(input_ids=torch.tensor([ids]), use_cache=False)
    else:
        # As in a transcript: every other stretch of 250 tokens is an assistant turn's, and a
        # source has 25 tokens.
        blocks = [Rows(s, s + 250, s) for s in range(250, tokens - 250, 500)]
        sink = SourceSums(blocks, torch.arange(tokens) // 25, sources=tokens // 25)
        capture(model, [ids], blocks=blocks, sink=sink)
        sink.results()
    print(peak_of_this_process())


def peak_of_this_process() -> float:
    """In MiB. On Linux `ru_maxrss` begins at the parent's, which holds a model; VmHWM does not."""
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _run(sys.argv[1], int(sys.argv[2]))
