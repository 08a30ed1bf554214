import { createExecutionContext, env } from 'cloudflare:test'
import type { ExportPlan } from '#shared/export.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { handleApi } from '#worker/api.ts'
import { fixture } from './fixtures.ts'
import { contributorOf, memorialOf, ORIGIN, type Client } from './harness.ts'
import { sendProgramme, silence, upload } from './uploads.ts'
import { readZip } from '../zip-reader.ts'

/** A saved export: `text` returns one of its text files, or '' if there is none. */
export async function download(client: Client, memorialId: string, query = '') {
  const response = await client.fetch(`/api/memorials/${memorialId}/export${query}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const files = readZip(bytes)
  const text = (name: string) =>
    new TextDecoder().decode(files.find((file) => file.name === name)?.bytes ?? new Uint8Array())
  return { response, bytes, files, names: files.map(({ name }) => name), text }
}

/** The bytes of an export whose storage has another `get`, and whether the stream completed. */
export async function downloadFrom(MEDIA: R2Bucket, owner: Client, memorialId: string) {
  const request = new Request(`${ORIGIN}/api/memorials/${memorialId}/export`, {
    headers: { Cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; ') },
  })
  const response = await handleApi(request, { ...env, MEDIA }, createExecutionContext())
  const promised = Number(response.headers.get('Content-Length'))
  let read = 0
  try {
    for await (const chunk of response.body ?? []) read += chunk.byteLength
    return { promised, read, isWhole: true }
  } catch {
    return { promised, read, isWhole: false }
  }
}

/** The plan that the owner sees before the download. */
export async function planOf(client: Client, memorialId: string): Promise<ExportPlan> {
  return (await client.get<ExportPlan>(`/api/memorials/${memorialId}/export/plan`)).body
}

/** A memorial with one item of each kind, some added by a contributor. */
export async function memorialToExport(name = 'Tendai Móyo') {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name })
  const relative = await contributorOf(owner, memorial.id)
  const photo = await fixture('photo-gps.jpg')
  const film = await fixture('video-too-long.mp4')
  const send = async (client: Client, bytes: Uint8Array<ArrayBuffer>, fileName: string, type: string) =>
    (await upload<MediaUploaded>(client, memorial.id, { bytes, name: fileName, type })).body.id
  const ids = {
    photo: await send(owner, photo, 'IMG_1.jpg', 'IMAGE'),
    film: await send(owner, film, 'wedding.mp4', 'VIDEO'),
    voice: await send(relative, silence(9000), 'voice.wav', 'AUDIO'),
  }
  await owner.patch(`/api/media/${ids.photo}`, { caption: 'At the table' })
  await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00', venueName: 'St Mary', city: 'Mutare' })
  await (await sendProgramme(owner, memorial.id, 'Order of service.pdf')).arrayBuffer()
  await owner.put(`${path}/location`, { latitude: -17.5, longitude: 31, label: 'Warren Hills' })
  await owner.patch(path, {
    lifeStory: '<p>Born in <strong>Mutare</strong>.</p><p>A teacher.</p>',
    title: 'Our mother',
    dateOfBirth: '1931-01-01',
    dateOfBirthPrecision: 'ABOUT',
  })
  await relative.post(`${path}/comments`, { body: 'Rest well\nMama' })
  return { owner, memorial, relative, ids, sent: { photo, film } }
}
