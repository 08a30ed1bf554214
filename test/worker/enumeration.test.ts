import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { ORIGIN, signedIn } from './harness.ts'
import { mailboxOf } from './mailbox.ts'

/** The database, and how often it was asked something. */
function counted(db: D1Database) {
  let asked = 0
  const counting = new Proxy(db, {
    get(target, name) {
      if (name === 'prepare' || name === 'batch') asked += 1
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { db: counting, asked: () => asked }
}

test('A3: forgot-password answers before it knows whether there is an account, so its time tells nothing', async () => {
  const { user } = await signedIn()
  const askedBefore: number[] = []
  for (const email of [user.email, 'nobody@family.test']) {
    const { db, asked } = counted(env.DB)
    const request = new Request(`${ORIGIN}/api/auth/forgot-password`, {
      method: 'POST',
      headers: { Origin: ORIGIN, 'Content-Type': 'application/json', 'CF-Connecting-IP': '10.7.7.7' },
      body: JSON.stringify({ email }),
    })
    const execution = createExecutionContext()
    const response = await handleApi(request, { ...env, DB: db }, execution)
    askedBefore.push(asked())
    expect(response.status).toBe(200)
    await waitOnExecutionContext(execution)
  }
  // The look-up has begun, nothing came back yet.
  expect(askedBefore).toEqual([1, 1])
  expect(await mailboxOf(user.email, 1)).toHaveLength(1)
})
