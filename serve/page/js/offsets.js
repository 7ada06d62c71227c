// JavaScript counts UTF-16 units, the server counts characters (code points). Everything on the page is in units;
// what comes from the server and goes there passes through here.

/** Offsets of a text in both counts. */
export class Offsets {
  constructor(text) {
    this.units = text.length;
    this.wide = []; // Where a character of two units begins, in units; in order.
    for (let at = 0; at < text.length; at += 1) {
      if (text.codePointAt(at) > 0xffff) {
        this.wide.push(at);
        at += 1;
      }
    }
  }

  /** Characters before an offset in units. */
  toPoints(unit) {
    return unit - countBefore(this.wide, unit);
  }

  /** Units before an offset in characters. */
  toUnits(point) {
    let low = 0;
    let high = this.wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      // The n-th wide character stands at this place in characters.
      if (this.wide[middle] - middle < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }
}

function countBefore(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A text that can be sent: half characters, which no encoding has, become a sign of the same length. */
export function sendable(text) {
  return typeof text.toWellFormed === "function" ? text.toWellFormed() : text;
}
