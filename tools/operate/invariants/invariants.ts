import { DATABASE_RULES } from './database-rules.ts'
import { objectFindings } from './objects.ts'
import { quotaFindings } from './quotas.ts'
import { sandboxFindings } from './sandbox.ts'

export type Sql = <T extends Record<string, unknown>>(query: string) => Promise<T[]>

/** One object of R2. `uploadedAt` in milliseconds; `size` in bytes, -1 where its bytes are not there. */
export type StoredObject = { key: string; size: number; uploadedAt: number }

/** One line of a memorial's quota object: a medium, or while `expiresAt` is set room that is held for one. */
export type QuotaLine = {
  mediaId: string
  type: string
  contributorId: string | null
  bytes: number
  durationSec: number
  expiresAt: number | null
  /** `request`: ends with the process that holds it, whatever `expiresAt` says. */
  lease: string | null
}

/** What the stand-ins for the outside world remember. */
export type Outside = {
  /** Each copy of a mail that was taken, oldest first: our id of it, and when. Old ones may be forgotten. */
  mails: () => Promise<{ id: string; at: number }[]>
  /** PaymentIntents that succeeded: our payment's id, as their metadata names it. */
  paidPaymentIds: () => Promise<string[]>
}

/** The whole state of one deployment, as far as it can be read. What is left out is not checked. */
export type State = {
  /** Milliseconds since 1970. */
  now: number
  sql: Sql
  /** Rows of several queries, of one moment where the database can give that. */
  all: (queries: string[]) => Promise<Record<string, unknown>[][]>
  objects?: () => Promise<StoredObject[]>
  /** Lines of the memorial's quota object, or null where it has none. */
  quota?: (memorialId: string) => Promise<QuotaLine[] | null>
  outside?: Outside
}

/** One invariant: how many things were looked at, and the ids of those that break it. */
export type Finding = { rule: string; checked: number; problems: string[] }

/**
 * Looks whether everything that must always hold does hold, after whatever fault: money and memorials, rows and objects,
 * quotas and rows, causes and mails. One finding an invariant, in a fixed order; all is well when none has a problem. It
 * changes nothing. Source: design/security.md section 2 (I1 to I7).
 */
export async function checkInvariants(state: State): Promise<Finding[]> {
  const counts = DATABASE_RULES.map(({ of }) => `SELECT count(*) AS amount FROM ${of}`)
  const looks = DATABASE_RULES.map(({ broken }) => broken(state.now))
  const answers = await state.all(['PRAGMA foreign_key_check', ...counts, ...looks])
  const [foreign = [], ...rows] = answers
  const findings: Finding[] = DATABASE_RULES.map(({ rule }, at) => ({
    rule,
    checked: Number(rows[at]?.[0]?.['amount'] ?? 0),
    problems: (rows[DATABASE_RULES.length + at] ?? []).map(({ id }) => String(id)),
  }))
  findings.push({
    rule: 'Every reference leads to a row',
    checked: findings.reduce((sum, { checked }) => sum + checked, 0),
    problems: foreign.map((row) => `${String(row['table'])} row ${String(row['rowid'])}`),
  })
  if (state.objects) findings.push(...(await objectFindings(state.sql, await state.objects(), state.now)))
  if (state.quota) findings.push(...(await quotaFindings(state.sql, state.quota, state.now)))
  if (state.outside) findings.push(...(await sandboxFindings(state.sql, state.outside)))
  return findings
}

/** The problems of all findings, a line each; empty when everything holds. */
export function problemsOf(findings: Finding[]): string[] {
  return findings.flatMap(({ rule, problems }) => problems.map((problem) => `${rule}: ${problem}`))
}
