import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'

test('the platform writes no log line a request: addresses hold invitation and mail tokens', () => {
  const { observability } = readConfig({ config: 'wrangler.toml' })
  expect(observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } })
})

test('sizes of pictures wait in a queue of their own, so that no mail waits behind them', () => {
  const { queues } = readConfig({ config: 'wrangler.toml' })
  expect(queues).toMatchObject({
    producers: [
      { binding: 'JOBS', queue: 'nhaka-jobs' },
      { binding: 'PICTURES', queue: 'nhaka-pictures' },
    ],
    consumers: expect.arrayContaining([
      expect.objectContaining({
        queue: 'nhaka-pictures',
        max_retries: 5,
        dead_letter_queue: 'nhaka-jobs-dead',
      }),
    ]),
  })
})
