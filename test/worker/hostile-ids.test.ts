import { test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectUnbroken } from './hostile-look.ts'

const HOSTILE_IDS = [
  '%00',
  '%ff%fe',
  '%',
  '..%2f..%2fetc%2fpasswd',
  '__proto__',
  'constructor',
  "'%20OR%201=1--",
  '%27%3B%20DROP%20TABLE%20users%3B--',
  '%F0%9F%95%8A',
  '%ED%A0%80',
  'x'.repeat(6000),
]
test('W11: no id in an address breaks a call that looks', { timeout: 120_000 }, async () => {
  const looking = Object.values(api).filter(({ method, path }) => method === 'GET' && path.includes(':'))
  await expectUnbroken(looking.flatMap(({ path }) => HOSTILE_IDS.map((id) => path.replaceAll(/:\w+/gu, id))))
})
