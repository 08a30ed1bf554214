import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { hostileCalls } from './hostile-json.ts'

test('W11: every call that takes a body is attacked with hostile ones, in number', () => {
  const { names, count } = hostileCalls()
  const files = ['stripeWebhook', 'uploadMedia', 'uploadProfileImage', 'uploadPoster', 'uploadProgramme']
  const taking = Object.entries(api)
    .filter(([, { body }]) => body !== undefined)
    .map(([name]) => name)
  expect(names.toSorted()).toEqual([...taking, ...files].toSorted())
  expect(count).toBeGreaterThan(1500)
  console.log(`${count} hostile bodies over ${names.length} calls`)
})
