/** Why a command did nothing, or stopped; the message is a sentence or two for the operator. */
export class OperatorError extends Error {}

/**
 * Runs a command, whose result is the exit code. If it fails, prints the reason to stderr and exits with the code `failed`.
 * `--help` prints the usage instead.
 */
export async function runCommand(
  usage: string,
  failed: 1 | 2,
  command: () => Promise<number>,
): Promise<void> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    return
  }
  try {
    process.exitCode = await command()
  } catch (error) {
    const isUsage =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    const isExpected = error instanceof OperatorError
    console.error(isUsage ? `${error.message}\n${usage}` : isExpected ? error.message : error)
    process.exitCode = failed
  }
}
