import { test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectUnbroken } from './hostile-look.ts'

const HOSTILE_QUERIES = [
  'cursor=%00',
  'cursor=%ff',
  'cursor[$ne]=1',
  'cursor=1&cursor=2',
  `cursor=${'x'.repeat(6000)}`,
  'from=%00&type=__proto__',
  `newer=9e99.med_x&from=${'x'.repeat(6000)}`,
  'page=1e999',
  'page=-1',
  'page[]=1',
  'search=%25%25%27%22',
  `search=${'%25'.repeat(150)}`,
  'invite=%00',
  'invite=__proto__',
  'event=%F0%9F',
  '__proto__[polluted]=1',
  'constructor.prototype.polluted=1',
  'w=1e9&thumbnail=%00&original=x',
  '&&&==',
]

test('no query string breaks a call that reads', { timeout: 120_000 }, async () => {
  const asking = Object.values(api).filter(({ method, query }) => method === 'GET' && query !== undefined)
  await expectUnbroken(
    asking.flatMap(({ path }) =>
      HOSTILE_QUERIES.map((query) => `${path.replaceAll(/:\w+/gu, 'x')}?${query}`),
    ),
  )
})
