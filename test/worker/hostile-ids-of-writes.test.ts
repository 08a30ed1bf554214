import { test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectUnbroken, HOSTILE_IDS } from './hostile-look.ts'

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'W11: no id in an address breaks a %s',
  { timeout: 120_000 },
  async (method) => {
    const writing = Object.values(api).filter((call) => call.method === method && call.path.includes(':'))
    const ids = HOSTILE_IDS.filter((_, at) => at % 2 === 0)
    await expectUnbroken(
      writing.flatMap(({ path }) => ids.map((id) => path.replaceAll(/:\w+/gu, id))),
      method,
    )
  },
)
