"""How the figures are printed."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.reading import ReadingFigures


def row(what: str, value: str, goal: str) -> None:
    """One line of the table."""
    print(f"{what:<42}{value:>10}   {goal}", flush=True)


def note(text: str) -> None:
    """What there is to say about the line before."""
    print(f"   {text}", flush=True)


def progress(figures: ReadingFigures) -> str:
    """One conversation in a line."""
    text = (
        f"{figures.tokens:,} tokens, {figures.targets} targets: "
        f"{figures.read_and_trace:.1f} s against {figures.bare:.1f} s for a bare pass "
        f"({figures.read_and_trace / figures.bare:.2f}x), "
        f"slowest further span {figures.slowest_span * 1000:.0f} ms"
    )
    if figures.closely:
        text += f"; {figures.closely.hops} hops would be {figures.closely.per_hop:.0f} s"
    return text


def print_reading(all_figures: Sequence[ReadingFigures], *, window: int) -> None:
    """The figures that come from reading conversations with a model of that window."""
    print(
        f"{len(all_figures)} conversations, {sum(f.tokens for f in all_figures):,} tokens, "
        f"{sum(f.targets for f in all_figures)} targets"
    )
    read = sum(figures.read_and_trace for figures in all_figures)
    ratio = read / sum(figures.bare for figures in all_figures)
    row("1. reading and all traces / bare pass", f"{ratio:.2f}x", "<= 1.20x")
    within = [figures for figures in all_figures if figures.tokens <= window]
    beyond = [figures for figures in all_figures if figures.tokens > window]
    if within:
        note(f"{len(within)} that fit into the model's window: {_from_to(within)} each")
    if beyond:
        note(f"{len(beyond)} longer ones, read in several windows: {_from_to(beyond)} each")
    slowest = max(figures.slowest_span for figures in all_figures)
    row("2. slowest further span", f"{slowest * 1000:.0f} ms", "< 50 ms")
    sample = [(figures, figures.closely) for figures in all_figures if figures.closely]
    if sample:
        read = sum(figures.read_and_trace for figures, _ in sample)
        speedup = sum(look.per_hop for _, look in sample) / read
        row("3. a pass per hop / one reading", f"{speedup:.1f}x", ">= 12x")
        note(
            f"{sum(look.hops for _, look in sample)} passes for all "
            f"{sum(figures.targets for figures, _ in sample)} targets of {len(sample)} "
            "conversations, counted without their arithmetic"
        )
        without_head = read / sum(look.bare_without_head for _, look in sample)
        note(
            f"figure 1 of these, if the pass is spared the language-model head: {without_head:.2f}x"
        )


def _from_to(some: Sequence[ReadingFigures]) -> str:
    ratios = [figures.read_and_trace / figures.bare for figures in some]
    return f"{min(ratios):.2f}x to {max(ratios):.2f}x"
