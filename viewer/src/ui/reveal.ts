/** Scrolls the conversation to a turn; near ones smoothly, far ones at once. */

const NEAR = 1600;

export function reveal(
  turn: number | null,
  manner: "jump" | "glide",
  mark = "mark.evidence, mark.target",
): void {
  if (turn === null) return;
  requestAnimationFrame(() => {
    const element = document.getElementById(`turn-${turn}`);
    const room = element?.closest(".conversation");
    if (!element || !room) return;
    const go = (behavior: ScrollBehavior) => {
      const goal = (element.querySelector(mark) ?? element).getBoundingClientRect();
      const frame = room.getBoundingClientRect();
      const offset = goal.top - frame.top - frame.height * 0.38;
      room.scrollBy({ top: offset, behavior });
      return offset;
    };
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const goal = element.getBoundingClientRect();
    if (manner === "glide" && !calm && Math.abs(goal.top) < NEAR) {
      go("smooth");
      return;
    }
    // Turns on the way get their true height only when they come near: correct the aim once.
    go("instant");
    requestAnimationFrame(() => go("instant"));
  });
}
