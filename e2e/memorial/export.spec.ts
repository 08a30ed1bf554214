import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { memorialExport } from '../../src/shared/export.ts'
import { readZip } from '../../test/zip-reader.ts'
import { expectAccessible } from '../accessible.ts'
import { files } from '../files.ts'
import { expect, type Family, test } from '../family.ts'
import { collect, saved } from '../people.ts'
import type { World } from '../world.ts'

const STORY = 'She taught half of Mutare to read.'
/** More than one page of the gallery; 300 with EXHAUSTIVE=1. */
const PHOTOS = process.env['EXHAUSTIVE'] === '1' ? 300 : 70

/** Saves and unpacks a download. Returns the folder, the file's name and the names of its entries. */
async function unpacked(page: Page, press: () => Promise<void>) {
  const download = await saved(page, press())
  const inside = readZip(await readFile(await download.path()))
  const folder = mkdtempSync(join(tmpdir(), 'nhaka-export-'))
  for (const { name, bytes } of inside) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  return { folder, fileName: download.suggestedFilename(), inside, names: inside.map(({ name }) => name) }
}

async function openDownload(page: Page, memorialId: string) {
  await page.goto(`/memorial/${memorialId}`)
  await page.getByRole('button', { name: /Download everything/u }).click()
  const dialog = page.getByRole('dialog', { name: 'Download everything' })
  await expect(dialog.getByRole('link', { name: 'Download', exact: true })).toBeVisible()
  return dialog
}

/** A single-colour image of 48 × 36 pixels. */
function picture(n: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const [width, height] = [48, 36]
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, Buffer.of(n % 256, n >> 2, 90))])
  const rows = Buffer.concat(Array.from({ length: height }, () => row))
  const mark = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    mark,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Writes photos with distinct bytes directly into the storage and the database. */
async function addPhotos({ db, miniflare }: World, memorialId: string, count: number): Promise<void> {
  const bucket = await miniflare.getR2Bucket('MEDIA')
  const rows = []
  for (let n = 0; n < count; n++) {
    const id = `med_${String(n).padStart(20, 'a')}`
    const key = `m/${memorialId}/${id}`
    const bytes = picture(n)
    await bucket.put(key, bytes, { httpMetadata: { contentType: 'image/png' } })
    rows.push(
      db
        .prepare(
          `INSERT INTO media (id, memorial_id, type, mime_type, size, width, height, original_file_name, caption, object_key, has_thumbnail, created_at)
           VALUES (?, ?, 'IMAGE', 'image/png', ?, 48, 36, ?, ?, ?, 0, ?)`,
        )
        .bind(
          id,
          memorialId,
          bytes.length,
          `IMG_${n}.png`,
          `Photo “${n}” & more`,
          key,
          1_760_000_000_000 + n,
        ),
    )
  }
  await db.batch(rows)
}

/** Creates a memorial with texts of every kind and a recording. */
async function memorialOf(family: Family) {
  const memorial = await family.memorial()
  const path = `/api/memorials/${memorial.id}`
  await family.owner.call('PATCH', path, { lifeStory: `<p>${STORY}</p>` })
  await family.owner.upload(`${path}/media/upload`, files.voiceNote, 'audio/ogg', { type: 'AUDIO' })
  await family.owner.call('PUT', `${path}/funeral`, { dateTime: '2026-06-06T10:00', venueName: 'St Mary' })
  await family.owner.call('POST', `${path}/comments`, { body: 'Zororai murugare.' })
  return memorial
}

test('an owner downloads everything, and each file is what was uploaded', async ({ family }) => {
  const memorial = await memorialOf(family)
  await family.addPhoto(memorial.id, 'At the gate')
  const page = await family.ownerPage(360)
  const dialog = await openDownload(page, memorial.id)
  await expect(dialog).toContainText('2 files, about ')
  await expectAccessible(page, 'Download everything', [320])
  const { fileName, inside, names, folder } = await unpacked(page, () =>
    dialog.getByRole('link', { name: 'Download', exact: true }).click(),
  )
  expect(fileName).toMatch(/^sekai-ndlovu-\d{4}-\d{2}-\d{2}\.zip$/u)
  expect(names).toEqual([
    'index.html',
    'memorial.json',
    expect.stringMatching(/^recordings\/001 .*\.ogg$/u),
    'photos/001 At the gate.jpg',
  ])
  expect(Buffer.from(inside[3]?.bytes ?? []).equals(await readFile(files.photoOfRelative))).toBe(true)
  const exported = memorialExport.parse(JSON.parse(new TextDecoder().decode(inside[1]?.bytes)))
  expect(exported.messages.map(({ body }) => body)).toEqual(['Zororai murugare.'])
  rmSync(folder, { recursive: true })
})

test('an export with many photos opens offline from a disk with every photo', async ({
  browser,
  world,
  family,
}) => {
  const memorial = await memorialOf(family)
  const owner = await family.ownerPage(1280)
  const dialog = await openDownload(owner, memorial.id)
  // They have no variants that the page could show.
  await addPhotos(world, memorial.id, PHOTOS)
  const { folder } = await unpacked(owner, () =>
    dialog.getByRole('link', { name: 'Download', exact: true }).click(),
  )
  await owner.context().close()

  const context = await browser.newContext({ offline: true })
  const page = await context.newPage()
  const requested = collect(page, (request) => request.url())
  await page.goto(pathToFileURL(join(folder, 'index.html')).href)
  const drawn = await page.evaluate(async () => {
    const widths: number[] = []
    for (const image of document.images) {
      image.scrollIntoView()
      await image.decode()
      widths.push(image.naturalWidth)
    }
    return widths
  })
  expect(drawn).toEqual(Array.from({ length: PHOTOS }, () => 48))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sekai Ndlovu')
  await expect(page.getByText(STORY)).toBeVisible()
  await expect(page.getByText('Zororai murugare.')).toBeVisible()
  await expect(page.getByText('St Mary')).toBeVisible()
  const recording = page.locator('audio')
  await recording.scrollIntoViewIfNeeded()
  await expect
    .poll(() => recording.evaluate((audio) => (audio as HTMLAudioElement).duration))
    .toBeGreaterThan(1)
  expect(requested.filter((url) => !url.startsWith('file:'))).toEqual([])
  expect(requested.length).toBeGreaterThan(PHOTOS)
  expect(await page.evaluate(() => document.scripts.length)).toBe(0)
  await expectAccessible(page, 'index.html')
  await context.close()
  rmSync(folder, { recursive: true })
})
