import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from '@playwright/test'
import { TENDAI_SERVICES } from '../scripts/demo/texts.ts'
import { localPlace } from '../scripts/lib/backup/local-place.ts'
import { sumTables } from '../scripts/lib/backup/sql-dump.ts'
import { freePort } from '../scripts/lib/free-port.ts'
import { endWorld, startWorld, type KilledWorld } from '../scripts/lib/killed-world.ts'
import { ProductClient } from '../scripts/lib/product-client.ts'
import { account, openToInvited, paidMemorial, DEMO } from '../scripts/seed.ts'
import type { ContributorSession } from '../src/shared/invites.ts'
import type { MediaPage } from '../src/shared/media.ts'

const ROOT = resolve(import.meta.dirname, '..')
const FILES = resolve(ROOT, 'scripts/demo/media')
const OWNER = { email: 'kept@family.test', firstName: 'Rudo', lastName: 'Moyo' }

/** A command of ours on this data. */
function command(state: string, script: string, words: string[] = []) {
  const { status, stdout, stderr } = spawnSync(
    'node',
    ['--disable-warning=ExperimentalWarning', `scripts/${script}.ts`, ...words],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, NHAKA_STATE: state } },
  )
  return { status, text: stdout + stderr }
}

/** All that is stored: a sum a table, and of each object its size, SHA-256 and metadata. */
async function everything(state: string) {
  const file = join(state, 'look.sqlite')
  await localPlace(state).snapshot(file)
  const db = new DatabaseSync(file)
  // The one thing that a restore changes: sessions do not come back.
  db.exec('UPDATE users SET session_epoch = 0')
  const tables = sumTables(db)
  db.close()
  rmSync(file)
  const { objects } = localPlace(state)
  const stored: Record<string, unknown> = {}
  for await (const { key, size } of objects.list()) {
    // What tells when this bucket was written belongs to the bucket (decision 0011).
    if (key.startsWith('marks/')) continue
    const hash = createHash('sha256')
    const object = await objects.get(key)
    for await (const chunk of object?.body ?? []) hash.update(chunk)
    stored[key] = { size, sha256: hash.digest('hex'), metadata: object?.metadata }
  }
  return { tables, stored }
}

/** A family: a memorial for everybody, and one for the invited with words, pictures and a voice of a relative. */
async function makeFamily(url: string, sandboxUrl: string) {
  const owner = await account(url, sandboxUrl, OWNER)
  const basics = { title: 'She stayed.', dateOfBirth: '1948-03-14', dateOfDeath: '2026-06-02' }
  const open = await paidMemorial(owner, sandboxUrl, { ...basics, honoureeFullName: 'Tendai Moyo' })
  const invited = await paidMemorial(owner, sandboxUrl, { ...basics, honoureeFullName: 'Josiah Moyo' })
  await owner.call('PATCH', `/api/memorials/${open.id}`, { lifeStory: `<p>${'She sang. '.repeat(1200)}</p>` })
  await owner.call('PUT', `/api/memorials/${open.id}/location`, {
    label: 'Mutare',
    latitude: -18.97,
    longitude: 32.67,
  })
  await owner.upload(
    `/api/memorials/${open.id}/profile-image`,
    join(FILES, 'tendai-portrait.jpg'),
    'image/jpeg',
  )
  await owner.call('POST', `/api/memorials/${open.id}/funeral-events`, TENDAI_SERVICES[0])
  await owner.upload(
    `/api/memorials/${open.id}/funeral-program`,
    join(FILES, 'programme-tendai-moyo.pdf'),
    'application/pdf',
  )
  await owner.call('PATCH', `/api/memorials/${open.id}/privacy`, { privacy: 'LOCKED' })
  const { token } = await openToInvited(owner, invited.id)
  const relative = new ProductClient(url)
  await relative.call<ContributorSession>('POST', `/api/invite/${token}/session`, {
    displayName: 'Farai',
    email: '',
  })
  await relative.call('POST', `/api/memorials/${invited.id}/comments`, {
    body: "It's \\n so,\nand\r\nnot otherwise.",
  })
  const upload = `/api/memorials/${invited.id}/media/upload`
  const audio = await relative.upload<{ id: string }>(upload, join(FILES, 'mbira.ogg'), 'audio/ogg', {
    type: 'AUDIO',
  })
  await relative.upload(upload, join(FILES, 'josiah-portrait.jpg'), 'image/jpeg', { type: 'IMAGE' })
  return { owner, relative, open, invited, audio: audio.id }
}

test('backed up while it runs, wiped and restored, a family’s memorials are what they were', async () => {
  test.setTimeout(480_000)
  const state = mkdtempSync(join(tmpdir(), 'nhaka-kept-'))
  const kept = mkdtempSync(join(tmpdir(), 'nhaka-backup-'))
  const world: KilledWorld = { state, port: await freePort(), sandboxPort: await freePort() }
  const url = `http://localhost:${world.port}`
  let running = await startWorld(world)
  try {
    const family = await makeFamily(url, `http://127.0.0.1:${world.sandboxPort}`)
    const page = async () =>
      (await family.relative.call<MediaPage>('GET', `/api/memorials/${family.invited.id}/media`)).media.map(
        ({ id }) => id,
      )
    const media = await page()
    // Sizes of pictures are made after the upload was answered.
    await expect
      .poll(() => command(state, 'check-data').text, { timeout: 60_000 })
      .toContain('Everything holds.')

    const first = command(state, 'backup', ['--to', kept])
    expect(first).toMatchObject({ status: 0, text: expect.stringContaining('is whole.') })
    const early = command(state, 'restore', ['--from', kept, '--yes'])
    expect(early).toMatchObject({ status: 2, text: expect.stringContaining('npm start is running') })
    await endWorld(running)
    // Sizes that were made meanwhile are new; then nothing is.
    expect(command(state, 'backup', ['--to', kept]).status).toBe(0)
    const again = command(state, 'backup', ['--to', kept])
    expect(again).toMatchObject({ status: 0, text: expect.stringContaining('fetched now: 0, 0 bytes') })

    const before = await everything(state)
    expect(Object.keys(before.stored).length).toBeGreaterThan(8)
    rmSync(join(state, 'worker'), { recursive: true })
    const restored = command(state, 'restore', ['--from', kept])
    expect(restored).toMatchObject({ status: 0, text: expect.stringContaining('all as they were') })
    expect(await everything(state)).toEqual(before)
    expect(command(state, 'check-data')).toMatchObject({
      status: 0,
      text: expect.stringContaining('Everything holds.'),
    })

    running = await startWorld(world)
    const visitor = new ProductClient(url)
    const publicPage = await visitor.send('GET', `/m/${family.open.slug}`)
    expect(publicPage.status).toBe(200)
    expect(await publicPage.text()).toContain('She sang.')
    expect(await page()).toEqual(media)
    const voice = await family.relative.send('GET', `/media/stream/${family.audio}`)
    expect(voice.status).toBe(200)
    expect((await voice.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    // The relative is known still, and has as much room as before; the owner signs in again.
    await family.relative.call('POST', `/api/memorials/${family.invited.id}/comments`, {
      body: 'Still here.',
    })
    const path = `/api/memorials/${family.invited.id}/media/upload`
    await family.relative.upload(path, join(FILES, 'josiah-portrait.jpg'), 'image/jpeg', { type: 'IMAGE' })
    expect((await family.owner.send('GET', '/api/auth/user')).status).toBe(401)
    await family.owner.call('POST', '/api/auth/login', { email: OWNER.email, password: DEMO.password })
    await family.owner.call('GET', `/api/memorials/${family.invited.id}`)
    await expect
      .poll(() => command(state, 'check-data').text, { timeout: 60_000 })
      .toContain('Everything holds.')
  } finally {
    await endWorld(running)
    for (const folder of [state, kept]) rmSync(folder, { recursive: true, force: true })
  }
})
