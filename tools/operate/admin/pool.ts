import { randomUUID } from 'node:crypto'
import { ADMIN_TOKENS_MAX, LOW_TOKENS, TOKENS_BATCH } from '#shared/limits.ts'
import { auditStatement, CommandError, quote, type Run } from './database.ts'

/** Counts the invitation tokens. It never prints the tokens themselves, because they open memorials. */
export function countTokens(run: Run): string {
  const [row] = run([
    `SELECT count(*) FILTER (WHERE status = 'AVAILABLE') AS available,
       count(*) FILTER (WHERE status = 'ASSIGNED') AS assigned,
       count(*) FILTER (WHERE status = 'REVOKED') AS revoked FROM invite_tokens`,
  ])
  const { available, assigned, revoked } = row ?? {}
  const isLow = Number(available) < LOW_TOKENS
  return `Invitation tokens: ${Number(available)} available${isLow ? ' (few)' : ''}, ${Number(assigned)} in use, ${Number(revoked)} revoked.`
}

/** Adds tokens to the pool, as the admin console does. `args` holds their number (default 50). Throws {@link CommandError}. */
export function createTokens(run: Run, args: string[]): string {
  const [text = String(TOKENS_BATCH), ...more] = args
  const amount = /^\d{1,4}$/u.test(text) ? Number(text) : 0
  if (more.length > 0 || amount < 1 || amount > ADMIN_TOKENS_MAX)
    throw new CommandError(`Give a number from 1 to ${ADMIN_TOKENS_MAX}. Nothing was changed.`)
  const at = Date.now()
  const fresh = JSON.stringify(Array.from({ length: amount }, () => randomUUID()))
  const statements = [
    `INSERT INTO invite_tokens (token, status, created_at)
     SELECT value, 'AVAILABLE', ${at} FROM json_each(${quote(fresh)})`,
    auditStatement({
      action: 'generate_tokens',
      targetKind: 'token',
      targetId: 'pool',
      detail: { count: amount },
      at,
    }),
  ]
  run(statements, { isSecret: true })
  return `Created ${amount} tokens. ${countTokens(run)}`
}
