/** Pixels between a notification and what is below it. */
const GAP = 16

type Box = { top: number; bottom: number }

/**
 * How many pixels above the bottom of a window a notification of this height must end, so that it covers none of the
 * `boxes` (in pixels from the top; empty ones don't count). It never leaves the window.
 */
export function liftAbove(boxes: readonly Box[], windowHeight: number, height: number): number {
  let lift = GAP
  for (const { top, bottom } of boxes.toSorted((a, b) => b.bottom - a.bottom)) {
    const end = windowHeight - lift
    const isCovered = top < bottom && top < end && bottom > end - height
    if (isCovered) lift = windowHeight - top + GAP
  }
  return Math.max(0, Math.min(lift, windowHeight - height))
}
