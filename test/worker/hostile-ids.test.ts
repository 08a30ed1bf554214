import { test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectUnbroken, HOSTILE_IDS } from './hostile-look.ts'

test('W11: no id in an address breaks a call that looks', { timeout: 120_000 }, async () => {
  const looking = Object.values(api).filter(({ method, path }) => method === 'GET' && path.includes(':'))
  await expectUnbroken(looking.flatMap(({ path }) => HOSTILE_IDS.map((id) => path.replaceAll(/:\w+/gu, id))))
})
