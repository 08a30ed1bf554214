import { expect, inject, test } from 'vitest'
import { Client } from '../../../../test/worker/harness.ts'

test('the configuration has addresses and public keys, and no secret', async () => {
  const { status, body } = await new Client().get('/api/config')
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      stripeJsUrl: `${inject('sandboxUrl')}/v3/`,
      stripePublishableKey: 'pk_test_sandbox',
      hasLocalPayments: true,
      mailboxUrl: null,
      hasMapImages: true,
      supportEmail: 'support@nhaka.test',
      exampleSlug: null,
    },
  })
})
