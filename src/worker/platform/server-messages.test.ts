import { expect, test } from 'vitest'
import { MEMORIAL_QUOTA } from '#shared/limits.ts'
import { serverMessages } from './server-messages.ts'

test('messages about a full memorial name the numbers of limits.ts', () => {
  expect(serverMessages.media).toMatchObject({
    quotaMemorialImages: `This memorial holds ${MEMORIAL_QUOTA.images.toLocaleString('en')} photos, the most it can`,
    quotaMemorialVideo: `This memorial holds ${MEMORIAL_QUOTA.video} videos, the most it can`,
    quotaMemorialAudio: `This memorial holds ${MEMORIAL_QUOTA.audio} recordings, the most it can`,
    quotaMemorialBytes: `This memorial is full: it holds ${MEMORIAL_QUOTA.bytes / 1024 ** 3} GB, the most it can`,
  })
})
