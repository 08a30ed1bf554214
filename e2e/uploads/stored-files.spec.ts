import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MediaUploaded } from '../../src/shared/media/media.ts'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import { expect, test } from '../family.ts'
import { expectErrors } from '../world.ts'

const RUN = "document.title='taken';window.taken=true"

/** A recording that a browser could also parse as a script. */
function soundAndScript(): Buffer {
  const script = Buffer.from(`*/;${RUN};//`)
  const samples = Buffer.concat([script, Buffer.alloc(16_000)])
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(8000, 4)
  format.writeUInt32LE(8000, 8)
  format.writeUInt16LE(1, 12)
  format.writeUInt16LE(8, 14)
  const sixteen = Buffer.from([16, 0, 0, 0])
  const size = Buffer.alloc(4)
  size.writeUInt32LE(samples.length)
  return Buffer.concat([Buffer.from('RIFF=1/*WAVEfmt '), sixteen, format, Buffer.from('data'), size, samples])
}

test('an uploaded file never runs as a script, a page or a program', async ({ page, family }) => {
  expectErrors(/Refused to execute|Blocked script execution|Failed to load resource|Content Security Policy/u)
  const folder = mkdtempSync(join(tmpdir(), 'nhaka-stored-'))
  const put = (name: string, bytes: Buffer | string) => {
    writeFileSync(join(folder, name), bytes)
    return join(folder, name)
  }
  const { id } = await family.memorial()
  const sound = await family.owner.upload<MediaUploaded>(
    `/api/memorials/${id}/media/upload`,
    put('a.wav', soundAndScript()),
    'text/javascript',
    { type: 'AUDIO' },
  )
  await family.owner.call<FuneralEvent>('PUT', `/api/memorials/${id}/funeral`, {
    title: 'Farewell',
    dateTime: '2026-12-01T10:00',
  })
  await family.owner.upload(
    `/api/memorials/${id}/funeral-program`,
    put('a.pdf', `%PDF-1.4\n<html><script>${RUN}</script></html>`),
    'text/html',
    {},
  )
  rmSync(folder, { recursive: true })
  await family.signIn(page)
  const file = `/media/stream/${sound.id}`

  const load = (address: string) =>
    page.evaluate(async (src) => {
      const script = document.createElement('script')
      script.src = src
      const ended = new Promise((done) => {
        script.addEventListener('load', () => done('ran'))
        script.addEventListener('error', () => done('blocked'))
      })
      document.head.append(script)
      return [await ended, 'taken' in window]
    }, address)
  // A page that lets any script of this server run, so that only the file itself is refused: the others require trusted types.
  await page.goto('/checkout')
  await page.route('**/own.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  expect(await load('/own.js')).toEqual(['ran', false])
  expect(await load(file)).toEqual(['blocked', false])

  const answer = await page.goto(file)
  expect(answer?.headers()['content-security-policy']).toBe("sandbox; default-src 'none'")
  expect(await page.evaluate(() => 'taken' in window)).toBe(false)

  await page.goto('/')
  const download = page.waitForEvent('download')
  await page.evaluate((path) => window.location.assign(path), `/api/memorials/${id}/funeral-program`)
  expect((await download).suggestedFilename()).toBe('a.pdf')
  expect(await page.title()).not.toBe('taken')
})
