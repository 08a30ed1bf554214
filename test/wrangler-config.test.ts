import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

test('the platform writes no log line a request: addresses hold invitation and mail tokens', () => {
  const { observability } = readConfig({ config: 'wrangler.toml' })
  expect(observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } })
})
