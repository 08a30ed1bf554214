import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { COUNTERS } from '#worker/platform/metrics.ts'
import { takeErrorLines } from './error-lines.ts'
import { fixture } from './fixtures.ts'
import { Client, contributorOf, memorialOf, ORIGIN } from './harness.ts'
import { upload } from './uploads.ts'

type Point = { indexes?: (string | ArrayBuffer | null)[]; blobs?: unknown[]; doubles?: number[] }

/** Points every client at a Worker that writes its metrics to this list. */
function countedInto(points: Point[]): void {
  const dataset = { writeDataPoint: (point: Point = {}) => void points.push(point) }
  Client.way = async (url, init) => {
    const execution = createExecutionContext()
    const answer = await handleApi(new Request(url, init), { ...env, COUNTERS: dataset }, execution)
    await waitOnExecutionContext(execution)
    return answer
  }
}

test('events are counted by name, kind and amount, and no metric names a person', async () => {
  const points: Point[] = []
  countedInto(points)
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'Rest well' })
  const photo = await fixture('photo.png')
  await upload(relative, memorial.id, { bytes: photo, name: 'a.png', type: 'IMAGE' })
  const notes = await fixture('not-a-pdf.pdf')
  await upload(relative, memorial.id, { bytes: notes, name: 'b.png', type: 'IMAGE' })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  expect(points).toEqual(
    [
      ['message_posted', '', 1],
      ['upload_done', 'IMAGE', expect.any(Number)],
      ['upload_refused', '415', 1],
      ['memorial_published', '', 1],
    ].map(([name, kind, amount]) => ({ indexes: [name], blobs: [name, kind], doubles: [amount] })),
  )
  const names: readonly unknown[] = COUNTERS
  expect(points.filter(({ blobs }) => !names.includes(blobs?.[0]))).toEqual([])
})

test('a deployment without metrics, or whose metrics fail, works the same', async () => {
  const warned: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void warned.push(line))
  const broken = {
    writeDataPoint: () => {
      throw new Error('no dataset')
    },
  }
  for (const COUNTED of [undefined, broken]) {
    const bindings = { ...env, DB: undefined as unknown as D1Database, COUNTERS: COUNTED! }
    const request = new Request(`${ORIGIN}/api/memorial/nobody-at-all`, {
      headers: { 'CF-Connecting-IP': '10.6.6.6' },
    })
    expect((await handleApi(request, bindings, createExecutionContext())).status).toBe(500)
    expect(takeErrorLines()).toHaveLength(1)
  }
  expect(warned.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['not_counted'])
})
