import { ERROR_STATUS, type ErrorCode } from '#shared/errors.ts'

const KEYS = new Set(['message', 'code', 'fields', 'requestId'])
/** Internal details: SQL, stacks, paths, libraries, keys, JavaScript's own error texts. */
const INSIDE =
  /sqlite|d1_|drizzle|zod|hono|workerd|miniflare|\bselect\b.*\bfrom\b|insert into|constraint|\n\s*at\s|\.[cm]?[jt]sx?\b|node_modules|\/src\/|(?:Type|Reference|Syntax|Range)Error|undefined|\[object|\bNaN\b|_hash|sk_(?:test|live)|whsec_|Bearer|__Host-|session=|Invalid input|expected|JSON/u

/** Problems in the body of a refusal, one line each; it has exactly message, code, fields and requestId. */
export function errorBodyProblems(status: number, text: string): string[] {
  const body = parsed(text)
  if (body === null) return [`${status} is no JSON object: ${text.slice(0, 80)}`]
  const problems = Object.keys(body)
    .filter((key) => !KEYS.has(key))
    .map((key) => `${status} contains ${key}`)
  const { message, code, fields, requestId } = body
  if (typeof message !== 'string' || message.length === 0) problems.push(`${status} has no words`)
  if (ERROR_STATUS[code as ErrorCode] !== status) problems.push(`${status} with the code ${String(code)}`)
  if (status >= 500 !== (typeof requestId === 'string' && /^req_[a-z0-9]{16}$/u.test(requestId))) {
    problems.push(`${status} with the request id ${String(requestId)}`)
  }
  const words = [message, ...Object.values((fields ?? {}) as Record<string, unknown>)]
  for (const word of words) {
    if (typeof word !== 'string' || word === '' || INSIDE.test(word))
      problems.push(`${status} says ${String(word)}`)
  }
  return problems
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
