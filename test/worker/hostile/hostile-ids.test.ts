import { test } from 'vitest'
import { api } from '#shared/api.ts'
import { expectUnbroken, HOSTILE_IDS } from './hostile-look.ts'

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'no hostile id in the path breaks a %s request',
  async (method) => {
    const paths = Object.values(api)
      .filter((call) => call.method === method && call.path.includes(':'))
      .map(({ path }) => path)
    const ids = HOSTILE_IDS.filter((_, at) => method === 'GET' || at % 2 === 0)
    await expectUnbroken(
      paths.flatMap((path) => ids.map((id) => path.replaceAll(/:\w+/gu, id))),
      method,
    )
  },
)
