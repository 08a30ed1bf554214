import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { BufferedFile } from '#worker/features/media/upload.ts'
import type { MultipartFile } from '#worker/platform/multipart.ts'

const MIB = 1024 * 1024

function fileOf(mebibytes: number): MultipartFile {
  async function* bytes() {
    const chunk = new Uint8Array(MIB)
    for (let sent = 0; sent < mebibytes; sent++) yield chunk
  }
  return { name: 'file', fileName: 'a.jpg', fields: new Map(), announcedBytes: null, bytes: bytes() }
}
const refuse = async () => {
  throw new AppError('invitation_needed', 'no')
}
const codeOf = async (file: Promise<unknown>) =>
  file.then(
    () => 'buffered',
    (error: unknown) => (error as AppError).code,
  )

test('a file above 16 MiB of an unknown sender is refused instead of buffered', async () => {
  const buffered = new BufferedFile()
  expect(await codeOf(buffered.take(fileOf(17), refuse))).toBe('invitation_needed')
  buffered.release()
  expect(await codeOf(buffered.take(fileOf(16), refuse))).toBe('buffered')
  buffered.release()
})

test('buffers of unknown senders share one limit, and a release frees memory', async () => {
  const [first, second, third] = [new BufferedFile(), new BufferedFile(), new BufferedFile()]
  expect(await codeOf(first.take(fileOf(16), refuse))).toBe('buffered')
  expect(await codeOf(second.take(fileOf(16), refuse))).toBe('buffered')
  expect(await codeOf(third.take(fileOf(1), refuse))).toBe('too_many_requests')
  first.release()
  first.release()
  expect(await codeOf(third.take(fileOf(16), refuse))).toBe('buffered')
  expect(await codeOf(new BufferedFile().take(fileOf(1), refuse))).toBe('too_many_requests')
  second.release()
  third.release()
})
