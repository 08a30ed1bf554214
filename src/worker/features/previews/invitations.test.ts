import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { brokenBinding } from '../../../../test/worker/faults/faults.ts'
import {
  askWorker,
  Client,
  inviteTokenOf,
  memorialOf,
  ORIGIN,
  signedIn,
} from '../../../../test/worker/harness.ts'
import { headerProblems } from '../../../../test/expected-headers.ts'
import { sendPortrait } from '../../../../test/worker/uploads.ts'

const NAME = 'Zvikomborero Chokwadi'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** An invite-only memorial with dates, and its invitation. */
async function invitedMemorial(showInvitePreview: boolean) {
  const { owner, memorial, path } = await memorialOf({ name: NAME, privacy: 'INVITE' })
  const dates = { dateOfBirth: '1931-01-01', dateOfBirthPrecision: 'ABOUT', dateOfDeath: '2019-05-12' }
  await owner.patch(path, { ...dates, showInvitePreview })
  return { owner, memorial, path, token: await inviteTokenOf(owner, memorial.id) }
}

async function see(path: string, who = new Client()) {
  const { status, headers, ...answer } = await read(await who.fetch(path))
  return { status, headers: [...headers], ...answer }
}

/** The same as {@link see}, for a browser with a session, which gets the app's document. */
async function seeInApp(path: string) {
  const who = new Client()
  who.cookies.set('session', 'x')
  return see(path, who)
}

/** Everything but the words of the page: what previews read, and what an observer sees. */
async function previewOf(path: string) {
  const { text, headers, status } = await see(path)
  return { status, headers, title: headOf(text)[0], tags: text.match(/<(?:meta|link rel="can)[^>]*>/gu) }
}

async function read(response: Response) {
  const { status, headers } = response
  const isImage = headers.get('Content-Type') === 'image/jpeg'
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status, headers, text: bytes.toString(isImage ? 'base64' : 'utf8') }
}

const headOf = (text: string) => text.split('<title>').at(-1)?.split('\n') ?? []
const imageIn = (text: string) => /property="og:image" content="([^"]+)"/u.exec(text)?.[1] ?? ''

test('an invitation whose owner shows name and face is previewed with both', async () => {
  const { owner, memorial, token } = await invitedMemorial(true)
  await sendPortrait(owner, memorial.id, 'photo-rotated-6.jpg')
  for (const path of [`/invite/${token}`, `/memorial/${memorial.id}?invite=${token}&utm_source=w`]) {
    const page = await read(await new Client().fetch(path))
    expect(headOf(page.text)[0]).toBe(`${NAME}, about 1931 – 2019 · Keeping Legacies Alive</title>`)
    expect(page.text).toContain(
      '<meta property="og:description" content="An invitation from the family. Open it to see the memorial.">',
    )
    expect([page.text.includes('noindex'), page.text.includes('og:url')]).toEqual([true, false])
    expect([page.headers.get('Cache-Control'), page.headers.get('Cloudflare-CDN-Cache-Control')]).toEqual([
      'private, no-store',
      'private, no-store',
    ])
    expect(headerProblems(page, 'page')).toEqual([])
    expect(imageIn(page.text)).toMatch(
      new RegExp(`^http://localhost/invite/${token}/card\\.jpg\\?v=[0-9a-f]{16}$`, 'u'),
    )
    const card = await read(await new Client().fetch(imageIn(page.text).slice(ORIGIN.length)))
    expect([card.headers.get('Content-Type'), headerProblems(card, 'card')]).toEqual(['image/jpeg', []])
    expect(card.headers.get('Cache-Control')).toBe('private, no-store')
    expect(card.text).not.toBe((await see('/card.jpg')).text)
  }
})

test(
  'no preview tells a dead or hidden invitation from an unknown one, in any byte',
  {
    tags: [
      'preview-not-of-private',
      'preview-only-if-shown',
      'preview-needs-live-invitation',
      'card-needs-active-memorial',
    ],
  },
  async () => {
    const admin = await signedIn({ admin: true })
    const hidden = await invitedMemorial(false)
    const turnedOff = await invitedMemorial(true)
    await turnedOff.owner.patch(turnedOff.path, { showInvitePreview: false })
    const priv = await invitedMemorial(true)
    await priv.owner.patch(`${priv.path}/privacy`, { privacy: 'PRIVATE' })
    const replaced = await invitedMemorial(true)
    await replaced.owner.post(`${replaced.path}/invite-link/rotate`)
    const deleted = await invitedMemorial(true)
    await deleted.owner.delete(deleted.path, { confirmName: NAME })
    const removed = await invitedMemorial(true)
    await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)

    const neutral = await see(`/invite/${UNKNOWN}`)
    const inApp = await seeInApp(`/invite/${UNKNOWN}`)
    const preview = await previewOf(`/invite/${UNKNOWN}`)
    const card = await see(`/invite/${UNKNOWN}/card.jpg`)
    expect(headOf(neutral.text)[0]).toBe('An invitation from the family · Keeping Legacies Alive</title>')
    expect([imageIn(neutral.text), card.text]).toEqual([
      'http://localhost/card.jpg',
      (await see('/card.jpg')).text,
    ])
    for (const { token, memorial } of [priv, replaced, deleted, removed]) {
      for (const address of [`/invite/${token}`, `/memorial/${memorial.id}?invite=${token}`]) {
        expect(await seeInApp(address)).toEqual(inApp)
        // The page says why it does not open, in words that fit any memorial.
        expect(await previewOf(address)).toEqual(preview)
        expect((await see(address)).text).not.toMatch(new RegExp(`${NAME}|${token}|${memorial.id}`, 'u'))
      }
      expect(await see(`/invite/${token}/card.jpg?v=${'0'.repeat(16)}`)).toEqual(card)
    }
    for (const { token } of [replaced, deleted, removed])
      expect(await see(`/invite/${token}`)).toEqual(neutral)
    // Which memorial is private, nothing tells.
    const another = await invitedMemorial(true)
    await another.owner.patch(`${another.path}/privacy`, { privacy: 'PRIVATE' })
    expect(await see(`/invite/${another.token}`)).toEqual(await see(`/invite/${priv.token}`))
    // These open the memorial. Previews, which read the head and the card, learn nothing of it.
    for (const { token, memorial } of [hidden, turnedOff]) {
      for (const address of [`/invite/${token}`, `/memorial/${memorial.id}?invite=${token}`]) {
        const { text } = await see(address)
        expect(text).toContain(`${NAME}</h1>`)
        const { title, tags } = await previewOf(address)
        expect([title, tags]).toEqual([preview.title, preview.tags])
      }
      expect(await see(`/invite/${token}/card.jpg?v=${'0'.repeat(16)}`)).toEqual(card)
    }
    for (const token of ['nobody', '%E0%A4%A', "'", 'x'.repeat(2000)]) {
      expect(await seeInApp(`/invite/${token}`)).toEqual(inApp)
      const { title, tags } = await previewOf(`/invite/${token}`)
      expect([title, tags]).toEqual([preview.title, preview.tags])
      expect(await see(`/invite/${token}/card.jpg`)).toEqual(card)
    }
  },
)

test('an invitation names only its own memorial', async () => {
  const { token } = await invitedMemorial(true)
  const other = await invitedMemorial(true)
  const address = `/memorial/${other.memorial.id}?invite=${token}`
  expect(await seeInApp(address)).toEqual(await seeInApp(`/invite/${UNKNOWN}`))
  expect(await previewOf(address)).toEqual(await previewOf(`/invite/${UNKNOWN}`))
  for (const path of [address, `/memorial/${other.memorial.id}`])
    expect((await see(path)).text).not.toContain(NAME)
})

test('an invitation opens the app, without its name, while the database is down', async () => {
  const { token } = await invitedMemorial(true)
  const DB = brokenBinding(env.DB, 'the database is down')
  const { status, text } = await read(await askWorker(`${ORIGIN}/invite/${token}`, {}, { DB }))
  expect([status, text]).toEqual([200, (await seeInApp(`/invite/${UNKNOWN}`)).text])
  expect(takeErrorLines().join()).toContain('invitation_preview_failed')
})

test('the card of an invitation follows its portrait', async () => {
  const { owner, memorial, token } = await invitedMemorial(true)
  const sent = await sendPortrait(owner, memorial.id, 'photo-rotated-6.jpg')
  const { id: mediaId } = await sent.json<MediaUploaded>()
  const imageNow = async () => imageIn((await see(`/invite/${token}`)).text)
  const before = await imageNow()
  await owner.delete(`/api/media/${mediaId}`)
  expect(await imageNow()).not.toBe(before)
})
