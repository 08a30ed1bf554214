import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { confirmed, registered } from '../../../../test/worker/accounts.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'

test('the job deletes only accounts that stayed unconfirmed for 7 days', async () => {
  const old = await registered()
  const young = await registered()
  const verified = await confirmed()
  const ctx = testCtx()
  const setAge = (email: string, days: number) =>
    ctx.db
      .update(users)
      .set({ createdAt: Date.now() - days * DAY_MS })
      .where(eq(users.email, email))
  await setAge(old, 7.01)
  await setAge(young, 6.99)
  await setAge(verified, 100)
  await mailboxOf(old)
  await removeUnverifiedAccounts(ctx)
  await removeUnverifiedAccounts(ctx)
  const left = async (email: string) =>
    (await ctx.db.select({ id: users.id }).from(users).where(eq(users.email, email))).length
  expect([await left(old), await left(young), await left(verified)]).toEqual([0, 1, 1])
})
