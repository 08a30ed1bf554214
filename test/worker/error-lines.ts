/** Lines that the test at hand wrote with console.error. workerd wraps console, so the spy itself cannot be asked. */
export const errorLines: unknown[][] = []

/** The error lines so far, as text; takes them away, so that the test does not fail for them. */
export function takeErrorLines(): string[] {
  return errorLines.splice(0).map((line) => line.map(String).join(' '))
}
