import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type ClientRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import type { ContributorSession } from '../../src/shared/invites/invites.ts'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { endWorld, killRuntime, startWorld } from '../../tools/measure/restartable-world.ts'
import { freePort } from '../../tools/operate/local/free-port.ts'
import { ProductClient } from '../../tools/operate/local/product-client.ts'
import { account, openToInvited, paidMemorial } from '../../tools/operate/seed.ts'
import { TENDAI } from '../accounts-by-api.ts'
import { files } from '../files.ts'

/** Sends the headers of a multipart upload and half of its file, and leaves the connection open unless the server answers. */
async function beginUpload(url: string, path: string, token: string, file: Buffer): Promise<ClientRequest> {
  const head = [
    '--cut\r\nContent-Disposition: form-data; name="type"\r\n\r\nVIDEO\r\n',
    '--cut\r\nContent-Disposition: form-data; name="file"; filename="v.mp4"\r\nContent-Type: video/mp4\r\n\r\n',
  ].join('')
  const upload = request(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=cut', 'X-Contributor-Token': token },
  })
  upload.on('error', () => {}) // The test kills the server.
  upload.on('response', () => upload.destroy())
  upload.write(head)
  const half = file.subarray(0, Math.floor(file.length / 2))
  await new Promise<void>((done) => upload.write(half, () => done()))
  return upload
}

test('a server killed during an upload restarts with no partial file and a full quota', async () => {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-crash-'))
  const place = { state, port: await freePort(), sandboxPort: await freePort() }
  const url = `http://localhost:${place.port}`
  const sandboxUrl = `http://127.0.0.1:${place.sandboxPort}`
  let running = await startWorld(place)
  try {
    const person = { email: 'crash@family.test', firstName: 'Rudo', lastName: 'Moyo' }
    const owner = await account(url, sandboxUrl, person)
    const memorial = await paidMemorial(owner, sandboxUrl, TENDAI)
    const { token } = await openToInvited(owner, memorial.id)
    const relative = new ProductClient(url)
    const session = await relative.call<ContributorSession>('POST', `/api/invite/${token}/session`, {
      displayName: 'Farai',
      email: '',
    })
    const path = `/api/memorials/${memorial.id}/media/upload`
    const media = () => owner.call<MediaPage>('GET', `/api/memorials/${memorial.id}/media`)
    const quotas = async () =>
      (await relative.call<ContributorSession>('GET', `/api/memorials/${memorial.id}/contributor-session`))
        .quotas

    // This probe, the start of a video that is never stored, fails as soon as the upload has reserved its quota. Should the probe
    // come first, the upload is refused and begins again.
    let upload: ClientRequest | null = null
    const stub = join(state, 'head.mp4')
    writeFileSync(stub, readFileSync(files.video).subarray(0, 64))
    await expect
      .poll(async () => {
        if (!upload || upload.destroyed) {
          upload = await beginUpload(url, path, session.authToken, readFileSync(files.video))
          return 'begun'
        }
        return relative.upload(path, stub, 'video/mp4', { type: 'VIDEO' }).catch(String)
      })
      .toContain('quota_exceeded')

    await killRuntime(place, running)
    running = await startWorld(place)

    expect(await media()).toMatchObject({ media: [], nextCursor: null, counts: { VIDEO: 0 } })
    expect((await quotas()).video.used).toBe(0)
    await relative.upload(path, files.video, 'video/mp4', { type: 'VIDEO' })
    expect((await media()).media).toHaveLength(1)
    expect((await quotas()).video.used).toBe(1)
  } finally {
    await endWorld(running)
    rmSync(state, { recursive: true, force: true })
  }
})
