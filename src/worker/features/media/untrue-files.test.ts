import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { contributorOf, memorialOf } from '../../../../test/worker/harness.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, upload } from '../../../../test/worker/uploads.ts'

const WHOLE = [
  ['photo-gps.jpg', 'IMAGE'],
  ['photo.png', 'IMAGE'],
  ['photo.webp', 'IMAGE'],
  ['video-2s.mp4', 'VIDEO'],
  ['video-2s.mov', 'VIDEO'],
  ['video-2s.webm', 'VIDEO'],
  ['video-2s.avi', 'VIDEO'],
  ['audio-2s.mp3', 'AUDIO'],
  ['audio-2s.m4a', 'AUDIO'],
  ['audio-2s.aac', 'AUDIO'],
  ['audio-2s.wav', 'AUDIO'],
  ['voice-note-2s.ogg', 'AUDIO'],
] as const

test('of truncated files only the accepted ones are stored and counted', async () => {
  const { owner, memorial } = await memorialOf()
  const taken: string[] = []
  let cut = 0
  for (const [name, type] of WHOLE) {
    const bytes = await fixture(name)
    const lengths = [2, 11, 40, 300, Math.floor(bytes.length / 3), bytes.length - 1000]
    for (const length of lengths) {
      cut++
      const { status, body } = await upload(owner, memorial.id, { bytes: bytes.slice(0, length), name, type })
      expect([name, length, [201, 400, 415].includes(status), body.message === '']).toEqual([
        name,
        length,
        true,
        false,
      ])
      taken.push(...(status === 201 ? [body.id as string] : []))
    }
  }
  expect(cut).toBe(72)
  expect((await mediaRowsOf(memorial.id)).map(({ id }) => id).toSorted()).toEqual(taken.toSorted())
  expect(await quotaItemsOf(memorial.id)).toEqual(taken.toSorted())
  const stored = new Set((await objectsOf(memorial.id)).map((key) => key.split('/')[2] ?? ''))
  expect([...stored].toSorted()).toEqual(taken.toSorted())
})

/** The file with the number after every occurrence of a mark overwritten. */
async function claiming(name: string, edits: [mark: string, offset: number, value: number][]) {
  const bytes = await fixture(name)
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const [mark, offset, value] of edits) {
    const at = file.indexOf(mark, 0, 'latin1')
    expect([name, mark, at > 0]).toEqual([name, mark, true])
    file.writeUInt32BE(value, at + offset)
  }
  return bytes
}

test.each([
  // Duration fields of version 0 boxes: ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.4.2.
  [
    'video-too-long.mp4',
    'VIDEO',
    [
      ['mvhd', 20, 1000],
      ['tkhd', 24, 1000],
      ['mdhd', 20, 1],
    ],
  ],
  // The frame count in the first frame's table of contents.
  ['audio-too-long.mp3', 'AUDIO', [['Info', 8, 10]]],
] as [string, string, [string, number, number][]][])(
  '%s is too long for a contributor although its header claims one second',
  async (name, type, edits) => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const relative = await contributorOf(owner, memorial.id)
    const { status, body } = await upload(relative, memorial.id, {
      bytes: await claiming(name, edits),
      name,
      type,
    })
    expect([status, body.code]).toEqual([409, 'too_long'])
    expect([await mediaRowsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[], []])
    expect(await quotaItemsOf(memorial.id)).toEqual([])
  },
)
