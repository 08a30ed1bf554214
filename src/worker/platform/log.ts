import { DrizzleQueryError } from 'drizzle-orm/errors'

export type LogFields = Record<string, string | number | boolean | null | undefined>
export type Log = {
  info: (event: string, fields?: LogFields) => void
  warn: (event: string, fields?: LogFields) => void
  /** Logs `cause` with its stack. Its message must not contain user input. */
  error: (event: string, cause: unknown, fields?: LogFields) => void
}

/** Structured JSON lines with a request id. Never log a password, token, cookie, card data or message body. */
export function createLog(requestId: string): Log {
  const write = (level: 'info' | 'warn' | 'error', event: string, fields: LogFields) =>
    console[level](JSON.stringify({ level, event, requestId, ...fields }))
  return {
    info: (event, fields = {}) => write('info', event, fields),
    warn: (event, fields = {}) => write('warn', event, fields),
    error: (event, cause, fields = {}) => write('error', event, { ...fields, cause: describeCause(cause) }),
  }
}

function describeCause(cause: unknown): string {
  const lines: string[] = []
  for (let at: unknown = cause; at !== undefined && at !== null && lines.length < 4;) {
    // oxlint-disable-next-line typescript/no-base-to-string -- anything may be thrown, and a poor line beats none
    lines.push(at instanceof Error ? describeError(at) : String(at))
    at = at instanceof Error ? at.cause : undefined
  }
  return lines.join('\ncaused by ')
}

/** Drizzle puts query parameters into its error message; these contain personal data, so they are removed. */
function describeError(error: Error): string {
  const full = error.stack ?? `${error.name}: ${error.message}`
  if (!(error instanceof DrizzleQueryError)) return full
  return full.replace(error.message, () => `Failed query: ${error.query}`)
}
