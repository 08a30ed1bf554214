import { DATABASE_RULES } from './database-rules.ts'
import { objectFindings, quotaFindings, sandboxFindings } from './findings.ts'

export type Sql = <T extends Record<string, unknown>>(query: string) => Promise<T[]>

/** One object of R2. `uploadedAt` is in milliseconds since 1970; `size` in bytes, or -1 if its bytes are missing. */
export type StoredObject = { key: string; size: number; uploadedAt: number }

/** One row of a memorial's quota object: a media item, or a reservation for one while `expiresAt` is set. */
export type QuotaLine = {
  mediaId: string
  type: string
  contributorId: string | null
  bytes: number
  durationSec: number
  expiresAt: number | null
  /** `request`: the reservation ends with the process that made it, even before `expiresAt`. */
  lease: string | null
}

/** What the sandbox, which plays Stripe, Paynow and the mail provider, has recorded. */
export type SandboxRecords = {
  /** Each accepted copy of a mail, oldest first: our id and the time (ms). The oldest may be missing. */
  mails: () => Promise<{ id: string; at: number }[]>
  /** The ids of our payments whose PaymentIntent succeeded, from its metadata, and of those that somebody paid at Paynow. */
  paidPaymentIds: () => Promise<string[]>
}

/** The readable state of one deployment. Checks whose optional part is missing are skipped. */
export type State = {
  /** Milliseconds since 1970. */
  now: number
  sql: Sql
  /** Rows of several queries, from one snapshot if the database supports that. */
  all: (queries: string[]) => Promise<Record<string, unknown>[][]>
  objects?: () => Promise<StoredObject[]>
  /** Rows of a memorial's quota object, or null if it has none. */
  quota?: (memorialId: string) => Promise<QuotaLine[] | null>
  outside?: SandboxRecords
}

/** The result for one invariant: the number of items checked, and the ids of those that break it. */
export type Finding = { rule: string; checked: number; problems: string[] }

/**
 * Checks the invariants, which hold after any fault: payments match memorials, rows match objects, quotas match rows, and events
 * match mails. Returns one finding for each, in a fixed order. It changes nothing.
 */
export async function checkInvariants(state: State): Promise<Finding[]> {
  const counts = DATABASE_RULES.map(({ of }) => `SELECT count(*) AS amount FROM ${of}`)
  const checks = DATABASE_RULES.map(({ broken }) => broken(state.now))
  const answers = await state.all(['PRAGMA foreign_key_check', ...counts, ...checks])
  const [foreign = [], ...rows] = answers
  const findings: Finding[] = DATABASE_RULES.map(({ rule }, at) => ({
    rule,
    checked: Number(rows[at]?.[0]?.['amount'] ?? 0),
    problems: (rows[DATABASE_RULES.length + at] ?? []).map(({ id }) => String(id)),
  }))
  findings.push({
    rule: 'Every foreign key points to a row',
    checked: findings.reduce((sum, { checked }) => sum + checked, 0),
    problems: foreign.map((row) => `${String(row['table'])} row ${String(row['rowid'])}`),
  })
  if (state.objects) findings.push(...(await objectFindings(state.sql, await state.objects(), state.now)))
  if (state.quota) findings.push(...(await quotaFindings(state.sql, state.quota, state.now)))
  if (state.outside) findings.push(...(await sandboxFindings(state.sql, state.outside)))
  return findings
}

/** The problems of all findings, one line each; empty if all invariants hold. */
export function problemsOf(findings: Finding[]): string[] {
  return findings.flatMap(({ rule, problems }) => problems.map((problem) => `${rule}: ${problem}`))
}
