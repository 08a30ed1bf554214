/** Lines that the current test wrote with console.error. workerd wraps console, so the spy itself is out of reach. */
export const errorLines: unknown[][] = []

/** Returns the error lines so far and removes them, so that they don't fail the test. */
export function takeErrorLines(): string[] {
  return errorLines.splice(0).map((line) => line.map(String).join(' '))
}
