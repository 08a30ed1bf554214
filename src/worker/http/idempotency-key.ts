import { and, eq, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/** The `Idempotency-Key` of a request (a UUID from the client), or null. Throws `bad_input` for any other text. */
export function idempotencyKeyOf(ctx: RequestCtx): string | null {
  const key = ctx.request.headers.get('Idempotency-Key')
  if (key !== null && !UUID.test(key)) throw new AppError('bad_input', messages.form.checkFields)
  return key?.toLowerCase() ?? null
}

/** Id of what this user or contributor created with `key`, or null. The row may have been deleted since. */
export async function findCreatedId(ctx: Ctx, actorId: string, key: string | null): Promise<string | null> {
  if (key === null) return null
  const [created] = await ctx.db
    .select({ id: idempotencyKeys.resultId })
    .from(idempotencyKeys)
    .where(isKey(actorId, key))
  return created?.id ?? null
}

/** Returns an insert that records what `key` created, if `isCreated` holds. It inserts nothing for null. */
export function insertKey(
  ctx: Ctx,
  actorId: string,
  key: string | null,
  created: { id: string; createdAt: number },
  isCreated: SQL,
) {
  const row = { actorId, key: key ?? '', resultId: created.id, createdAt: created.createdAt }
  return insertWhere(ctx.db, idempotencyKeys, row, sql`${key} is not null and ${isCreated}`)
}

/** SQL condition: this user or contributor has created something with `key`. False for null. */
export function isKeyUsed(actorId: string, key: string | null): SQL {
  return key === null ? sql`false` : existsIn(idempotencyKeys, isKey(actorId, key))
}

function isKey(actorId: string, key: string): SQL | undefined {
  return and(eq(idempotencyKeys.actorId, actorId), eq(idempotencyKeys.key, key))
}
