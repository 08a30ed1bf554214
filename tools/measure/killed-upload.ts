import { createHash, randomFillSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Upload } from 'tus-js-client'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { TENDAI } from '../operate/demo/texts.ts'
import { account, openToInvited, paidMemorial, relativeOf } from '../operate/seed.ts'
import { endWorld, killRuntime, startWorld, type RestartableWorld } from './restartable-world.ts'

const VIDEO = resolve(import.meta.dirname, '../../test/fixtures/video-2s.mp4')
const MIN_CHUNK_BYTES = 512 * 1024
const MAX_CHUNK_BYTES = 8 * 1024 * 1024
const RETRY_MS = 200

/** Pseudorandom numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The box with the video's location, the only one that the server would strip. */
const LOCATION_BOX = '©xyz'

/** A video of this many bytes that the server stores unchanged: a short one, then a second media data box of random bytes. */
export function videoOf(bytes: number): Buffer<ArrayBuffer> {
  const short = readFileSync(VIDEO)
  const location = short.indexOf(LOCATION_BOX, 0, 'latin1')
  short.fill(0, location, location - 4 + short.readUInt32BE(location - 4))
  short.write('free', location, 'latin1')
  const more = Buffer.allocUnsafe(bytes - short.length)
  randomFillSync(more)
  more.writeUInt32BE(more.length, 0)
  more.write('mdat', 4, 'latin1')
  return Buffer.concat([short, more])
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Uploads a video in chunks with tus-js-client, as a relative, while the runtime is killed at `kills` random points and
 * restarted. Returns the SHA-256 (hex) of the sent file and of the owner's download, and the byte positions of the kills. Throws
 * if the upload fails.
 */
export async function sendThroughKills(
  world: RestartableWorld,
  { bytes, kills, seed }: { bytes: number; kills: number; seed: number },
) {
  const random = randomOf(seed)
  const url = `http://localhost:${world.port}`
  let server = await startWorld(world)
  try {
    const { owner, relative, memorialId } = await family(url, `http://127.0.0.1:${world.sandboxPort}`)
    const video = videoOf(bytes)
    const points = Array.from({ length: kills }, (_, at) => Math.floor(((at + random()) / kills) * bytes))
    const killedAt: number[] = []
    const startedAt = Date.now()
    let killing = Promise.resolve()
    let isKilling = false
    const killAndRestart = async () => {
      await killRuntime(world, server)
      server = await startWorld(world)
      isKilling = false
    }
    await new Promise<void>((done, fail) => {
      const chunkBytes = () => MIN_CHUNK_BYTES + Math.floor(random() * (MAX_CHUNK_BYTES - MIN_CHUNK_BYTES))
      const upload = new Upload(video, {
        endpoint: `${url}/api/memorials/${memorialId}/uploads`,
        metadata: { filename: 'wedding.mp4', filetype: 'video/mp4', type: 'VIDEO' },
        headers: { Cookie: relative.cookie, Origin: url },
        chunkSize: chunkBytes(),
        retryDelays: Array.from({ length: 600 }, () => RETRY_MS),
        // Wait for the restart: otherwise the upload could finish before the next point is reached.
        onBeforeRequest: async () => killing,
        onProgress(sent) {
          const point = points[0]
          if (point === undefined || sent < point || isKilling) return
          points.shift()
          killedAt.push(sent)
          isKilling = true
          killing = killAndRestart()
          killing.catch(fail)
        },
        onChunkComplete() {
          upload.options.chunkSize = chunkBytes()
        },
        onShouldRetry: (error) => (error.originalResponse?.getStatus() ?? 500) >= 409,
        onSuccess: () => done(),
        onError: fail,
      })
      upload.start()
    })
    await killing
    const seconds = (Date.now() - startedAt) / 1000
    const { media } = await owner.call<MediaPage>('GET', `/api/memorials/${memorialId}/media`)
    const response = await owner.send('GET', `/media/stream/${media[0]?.id}?original=1`)
    const stored = hashOf(new Uint8Array(await response.arrayBuffer()))
    return { sent: hashOf(video), stored, media, killedAt, seconds }
  } finally {
    await endWorld(server)
  }
}

async function family(url: string, sandboxUrl: string) {
  const owner = await account(url, sandboxUrl, {
    email: 'killed@family.test',
    firstName: 'Rudo',
    lastName: 'Moyo',
  })
  const { id } = await paidMemorial(owner, sandboxUrl, TENDAI)
  const { token } = await openToInvited(owner, id)
  const { relative } = await relativeOf(url, token, 'Farai', '198.51.100.1')
  return { owner, relative, memorialId: id }
}
