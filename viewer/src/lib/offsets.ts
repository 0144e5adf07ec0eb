/**
 * Code points to UTF-16 units and back, for one text.
 *
 * Python counts code points, a browser counts UTF-16 units. Spans are converted once, where they
 * enter or leave the page, so that everything in between speaks of one kind of offset.
 */

const STRIDE = 1024;

export interface Offsets {
  toUnits(codePoint: number): number;
  toCodePoints(unit: number): number;
}

const SAME: Offsets = { toUnits: (n) => n, toCodePoints: (n) => n };

export function offsetsOf(text: string): Offsets {
  if (!/[\ud800-\udbff][\udc00-\udfff]/.test(text)) return SAME;
  // The unit at which every 1024th code point starts: a lookup walks at most one stride.
  const units: number[] = [];
  let unit = 0;
  let count = 0;
  while (unit < text.length) {
    if (count % STRIDE === 0) units.push(unit);
    unit += width(text, unit);
    count += 1;
  }
  const total = count;
  return {
    toUnits(codePoint) {
      if (codePoint >= total) return text.length;
      const block = Math.floor(codePoint / STRIDE);
      let at = units[block] ?? 0;
      for (let n = block * STRIDE; n < codePoint; n++) at += width(text, at);
      return at;
    },
    toCodePoints(target) {
      let block = 0;
      let high = units.length - 1;
      while (block < high) {
        const middle = (block + high + 1) >> 1;
        if ((units[middle] ?? 0) <= target) block = middle;
        else high = middle - 1;
      }
      let at = units[block] ?? 0;
      let n = block * STRIDE;
      while (at < target && at < text.length) {
        at += width(text, at);
        n += 1;
      }
      return n;
    },
  };
}

function width(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
