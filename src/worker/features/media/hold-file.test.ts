import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { HeldFile } from '#worker/features/media/hold-file.ts'
import type { MultipartFile } from '#worker/platform/multipart.ts'

const MIB = 1024 * 1024

function fileOf(mebibytes: number): MultipartFile {
  async function* bytes() {
    const chunk = new Uint8Array(MIB)
    for (let sent = 0; sent < mebibytes; sent++) yield chunk
  }
  return { fileName: 'a.jpg', fields: new Map(), announcedBytes: null, bytes: bytes() }
}
const refuse = async () => {
  throw new AppError('invitation_needed', 'no')
}
const codeOf = async (file: Promise<unknown>) =>
  file.then(
    () => 'held',
    (error: unknown) => (error as AppError).code,
  )

test('U8: a file of more than 16 MiB is not held for somebody who may not send it', async () => {
  const held = new HeldFile()
  expect(await codeOf(held.take(fileOf(17), refuse))).toBe('invitation_needed')
  held.release()
  expect(await codeOf(held.take(fileOf(16), refuse))).toBe('held')
  held.release()
})

test('U8: what is held for all unknown senders together has an end, and what is let go makes room', async () => {
  const [first, second, third] = [new HeldFile(), new HeldFile(), new HeldFile()]
  expect(await codeOf(first.take(fileOf(16), refuse))).toBe('held')
  expect(await codeOf(second.take(fileOf(16), refuse))).toBe('held')
  expect(await codeOf(third.take(fileOf(1), refuse))).toBe('too_many_requests')
  first.release()
  first.release()
  expect(await codeOf(third.take(fileOf(16), refuse))).toBe('held')
  expect(await codeOf(new HeldFile().take(fileOf(1), refuse))).toBe('too_many_requests')
  second.release()
  third.release()
})
