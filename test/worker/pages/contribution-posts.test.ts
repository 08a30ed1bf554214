import { expect, test } from 'vitest'
import { COMMENT_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { FILES_MAX } from '#shared/pages/plain-forms.ts'
import type { PersonalData } from '#client/public-page/render-personal.tsx'
import { contributors } from '#worker/schema/invites.table.ts'
import { headerProblems } from '../../expected-headers.ts'
import { fixture } from '../fixtures.ts'
import {
  askWorker,
  Client,
  ORIGIN,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  testCtx,
  type Answer,
} from '../harness.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, SOUND, uploadFixture } from '../uploads.ts'
import { serverMessages } from '../../../src/worker/platform/server-messages.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
type Chosen = { type: string; name: string; bytes: Uint8Array<ArrayBuffer> }

async function family() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: 'Sekai Ndlovu' })
  const token = await inviteTokenOf(owner, memorial.id)
  return { owner, memorial, path, token, page: `/memorial/${memorial.id}` }
}

async function seen(answer: Response) {
  const html = await answer.text()
  const json = /<script type="application\/json" id="page-data">(.*)<\/script>/u.exec(html)?.[1]
  const data = json === undefined ? null : (JSON.parse(json) as PersonalData)
  return {
    answer,
    status: answer.status,
    to: answer.headers.get('Location'),
    html,
    posted: data?.posted,
    data,
  }
}

/** Sends the page's form for words as a browser without script does. */
async function say(client: Client, path: string, fields: Record<string, string>, headers = {}) {
  const body = String(new URLSearchParams(fields))
  return seen(await client.fetch(path, { method: 'POST', body, headers: { ...FORM, ...headers } }))
}

/** Sends the page's form for files. The other two fields hold no file, as in a browser. */
async function send(
  client: Client,
  path: string,
  fields: Record<string, string>,
  files: Chosen[],
  headers = {},
) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  for (const type of ['IMAGE', 'VIDEO', 'AUDIO']) {
    const chosen = files.filter((file) => file.type === type)
    for (const { name, bytes } of chosen) body.append(type, new File([bytes], name))
    if (chosen.length === 0) body.append(type, new File([], ''))
  }
  return seen(await client.fetch(path, { method: 'POST', body, headers }))
}

const photo = async (name: string, file = 'photo.png') => ({
  type: 'IMAGE',
  name,
  bytes: await fixture(file),
})
const video = async (name: string) => ({ type: 'VIDEO', name, bytes: await fixture('video-2s.mp4') })
const commentsOf = async (client: Client, path: string) =>
  (
    await client.get<{ comments: { body: string; authorName: string }[] }>(`${path}/comments`)
  ).body.comments.map(({ body, authorName }) => `${authorName}: ${body}`)

test('a relative says a name and some words, and reads them on the page', async () => {
  const { owner, memorial, path, token, page } = await family()
  const relative = new Client()
  const message = 'She taught me to whistle.\r\nGo well.'
  const first = await say(relative, `/invite/${token}`, { name: ' Farai Chikomo ', message, page: 'one' })
  expect([first.status, first.to]).toEqual([303, `${page}?invite=${token}&added=message#add-a-message`])
  expect(headerProblems(first.answer, 'text')).toEqual([])
  const said = 'Farai Chikomo: She taught me to whistle.\nGo well.'
  expect(await commentsOf(owner, path)).toEqual([said])

  const thanks = await seen(await relative.fetch(first.to ?? ''))
  expect(thanks.html).toContain('Thank you. The family can see your message now.')
  expect(thanks.html).toContain('your name as <!-- -->Farai Chikomo')
  expect(thanks.html).toContain(`data-address="${page}?invite=${token}"`)
  expect(thanks.html).not.toContain('name="name"')

  // The same person, now known, and the page's form sent twice.
  const again = { message: 'One more thing.', page: 'two' }
  for (const _ of [1, 2]) expect((await say(relative, page, again)).status).toBe(303)
  await say(relative, page, { ...again, page: 'three' })
  expect(await commentsOf(owner, path)).toEqual([
    'Farai Chikomo: One more thing.',
    'Farai Chikomo: One more thing.',
    said,
  ])
  const names = await testCtx().db.select().from(contributors)
  expect(names.filter(({ memorialId }) => memorialId === memorial.id)).toHaveLength(1)
})

test('a guest of the app gives their name later, and the owner needs none', async () => {
  const { owner, memorial, path, page } = await family()
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  expect((await say(guest, page, { message: 'Rest.', name: 'Rudo Banda' })).status).toBe(303)
  expect((await say(owner, page, { message: 'Thank you all.', name: 'Not me' })).status).toBe(303)
  expect(await commentsOf(owner, path)).toEqual([
    expect.stringContaining(': Thank you all.'),
    'Rudo Banda: Rest.',
  ])
  expect((await commentsOf(owner, path))[0]).not.toContain('Not me')
})

test('a refused message is on the page again with its words and what is wrong', async () => {
  const { owner, path, token } = await family()
  // As long as a url-encoded form gets: nine bytes for each character.
  const long = 'अ'.repeat(2 * COMMENT_MAX)
  for (const [fields, wrong] of [
    [{ message: 'Go <well>.', name: ' ' }, { name: messages.contributor.nameRequired }],
    [{ message: 'Go <well>.', name: 'Guest Visitor' }, { name: messages.contributor.nameRequired }],
    [{ message: 'Go <well>.' }, { name: messages.contributor.nameRequired }],
    [{ message: long, name: 'Rudo' }, { message: expect.stringContaining('2,000') }],
    [
      { message: '', name: '' },
      { message: expect.any(String), name: messages.contributor.nameRequired },
    ],
  ] as const) {
    const { answer, status, html, posted } = await say(new Client(), `/invite/${token}`, fields)
    expect([status, headerProblems(answer, 'page'), answer.headers.getSetCookie()]).toEqual([400, [], []])
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    expect(posted?.problem.fields).toEqual(wrong)
    for (const text of Object.values(wrong)) if (typeof text === 'string') expect(html).toContain(text)
    expect(html).toContain(fields.message === long ? long : fields.message.replace('<well>', '&lt;well&gt;'))
    expect(html).toContain('name="name"')
  }
  // Nobody else gets that page.
  const { html } = await seen(await new Client().fetch(`/invite/${token}`))
  expect(html).not.toContain('&lt;well&gt;')
  expect(await commentsOf(owner, path)).toEqual([])
})

test('what the memorial no longer takes comes back with the words', async () => {
  const { owner, memorial, path, token, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  const words = { message: 'Words that must not be lost', name: 'Rudo' }
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const locked = await say(relative, page, words)
  expect([locked.status, headerProblems(locked.answer, 'text')]).toEqual([409, []])
  expect(locked.html).toContain(messages.memorial.locked)
  expect(locked.html).toContain(words.message)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  for (const [who, at, status, why] of [
    [relative, page, 403, messages.memorial.private],
    [new Client(), `/invite/${token}`, 403, messages.memorial.private],
    [new Client(), '/invite/00000000-0000-4000-8000-000000000000', 404, messages.memorial.notFound],
    [new Client(), '/memorial/mem_aaaaaaaaaaaaaaaaaaaa', 404, messages.memorial.notFound],
  ] as const) {
    const refused = await say(who, at, words)
    expect([refused.status, headerProblems(refused.answer, 'text')]).toEqual([status, []])
    expect(refused.html).toContain(why)
    expect(refused.html).toContain(words.message)
    expect(refused.html).not.toContain('Sekai')
  }
  expect(await commentsOf(owner, path)).toEqual([])
})

test('photographs, a video and a recording arrive in one form', async () => {
  const { memorial, token, page } = await family()
  const relative = new Client()
  const files = [
    await photo('at the gate.png'),
    await photo('second.jpg', 'photo-gps.jpg'),
    await video('dance.mp4'),
    SOUND,
  ]
  const { status, to } = await send(relative, `/invite/${token}`, { page: 'one', name: 'Farai' }, files)
  expect([status, to]).toEqual([303, `${page}?invite=${token}&added=IMAGE.IMAGE.VIDEO.AUDIO#add-files`])
  const rows = await mediaRowsOf(memorial.id)
  expect(rows.map(({ type }) => type).toSorted()).toEqual(['AUDIO', 'IMAGE', 'IMAGE', 'VIDEO'])
  const { html } = await seen(await relative.fetch(to ?? ''))
  expect(html).toContain('Thank you. The family can see your 2 photos, video and voice message now.')
  expect(html).toContain('You have added 2 photos and 1 video and 1 recording.')

  // Sent twice, as by a second press: nothing is there twice.
  const twice = { page: 'two' }
  for (const _ of [1, 2]) expect((await send(relative, page, twice, [await photo('a.png')])).status).toBe(303)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(5)
})

test('each file that is refused says why, and the others stay', async () => {
  const { owner, memorial, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  await uploadFixture(relative, memorial.id, 'video-2s.mp4')
  const { answer, status, html, data } = await send(relative, page, {}, [
    await photo('good.png'),
    await photo('<b>page.png', 'html-disguised.png'),
    await video('second.mp4'),
  ])
  expect([status, headerProblems(answer, 'page')]).toEqual([400, []])
  expect(data?.added).toEqual(['IMAGE'])
  expect(data?.posted?.problem.text).toBe(
    `bpage.png: ${messages.media.contributorImageType}\nsecond.mp4: ${messages.media.quotaVideo}`,
  )
  expect(html).toContain('Thank you. The family can see your photo now.')
  expect(await mediaRowsOf(memorial.id)).toHaveLength(2)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(2)
})

test('a form without a file or a name stores nothing, and says so', async () => {
  const { memorial, token } = await family()
  const nothing = await send(new Client(), `/invite/${token}`, { name: 'Farai' }, [])
  expect([nothing.status, nothing.posted?.problem.text]).toEqual([400, serverMessages.media.fileMissing])
  const nameless = await send(new Client(), `/invite/${token}`, { name: '' }, [await photo('a.png')])
  expect([nameless.status, nameless.posted?.problem.fields]).toEqual([
    400,
    { name: messages.contributor.nameRequired },
  ])
  const cut = await new Client().fetch(`/invite/${token}`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
    body: '--x\r\nContent-Disposition: form-data; name="IMAGE"; filename="a.png"\r\n\r\nhalf',
  })
  expect(cut.status).toBe(400)
  expect([await mediaRowsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[], []])
})

test('after a break the page says what arrived, and the same form adds nothing twice', async () => {
  const { owner, memorial, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  const { bytes } = await photo('a.png')
  const part = (name: string, content: Uint8Array<ArrayBuffer>) => [
    `--x\r\nContent-Disposition: form-data; name="IMAGE"; filename="${name}"\r\n\r\n`,
    content,
    '\r\n',
  ]
  const pageField = '--x\r\nContent-Disposition: form-data; name="page"\r\n\r\none\r\n'
  const whole = new Blob([pageField, ...part('a.png', bytes), ...part('b.png', bytes), '--x--\r\n'])
  const post = async (body: Blob) =>
    seen(
      await relative.fetch(page, {
        method: 'POST',
        headers: { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': String(whole.size) },
        body: await body.arrayBuffer(),
      }),
    )
  const broken = await post(whole.slice(0, whole.size - 100))
  expect([broken.status, broken.data?.added]).toEqual([400, ['IMAGE']])
  expect(broken.posted?.problem.text).toBe(
    `b.png: ${messages.media.interrupted}\n${serverMessages.media.restMissing}`,
  )
  expect(broken.html).toContain('value="one"')
  expect((await post(whole)).status).toBe(303)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(2)
})

test('a form larger than one request may be is refused before it is read', async () => {
  const { owner, memorial, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  const headers = {
    'Content-Type': 'multipart/form-data; boundary=x',
    'Content-Length': String(101 * 1024 * 1024),
  }
  const { status, posted } = await seen(
    await relative.fetch(page, { method: 'POST', headers, body: '--x--' }),
  )
  expect([status, posted?.problem.text]).toEqual([413, serverMessages.media.tooMuchAtOnce])
})

test('an old browser that gives only a referrer may send, also with a session', async () => {
  const { owner, memorial, path, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  const cookie = [...relative.cookies].map((pair) => pair.join('=')).join('; ')
  const sendFrom = async (referer: string, message: string) =>
    askWorker(`${ORIGIN}${page}`, {
      method: 'POST',
      headers: { ...FORM, Cookie: cookie, Referer: referer },
      body: String(new URLSearchParams({ message })),
      redirect: 'manual',
    })
  expect((await sendFrom(`${ORIGIN}${page}`, 'Here.')).status).toBe(303)
  const foreign = await sendFrom('https://evil.example/', 'Elsewhere.')
  expect([foreign.status, (await foreign.text()).includes('Elsewhere')]).toEqual([403, false])
  expect(await commentsOf(owner, path)).toEqual(['Farai: Here.'])
})

test('one form adds at most so many files, and says which it left out', async () => {
  const { owner, memorial, page } = await family()
  const files = await Promise.all(Array.from({ length: FILES_MAX + 1 }, (_, at) => photo(`${at}.png`)))
  const { status, data } = await send(owner, page, {}, files)
  expect([status, data?.added.length]).toEqual([400, FILES_MAX])
  expect(data?.posted?.problem.text).toBe(
    `${FILES_MAX}.png: Only ${FILES_MAX} files can be sent at once. Please send this one again.`,
  )
  expect(await mediaRowsOf(memorial.id)).toHaveLength(FILES_MAX)
})

test('only a page of ours may send these forms, and nothing else is taken', async () => {
  const { owner, path, memorial, token, page } = await family()
  const relative = await contributorOf(owner, memorial.id, 'Farai')
  const evil = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
  expect((await say(relative, page, { message: 'Bought cheap.' }, evil)).status).toBe(403)
  expect((await send(relative, page, {}, [await photo('a.png')], evil)).status).toBe(403)
  const others: Promise<Answer | Response>[] = [
    relative.fetch(page, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }),
    relative.fetch(page, { method: 'PUT', body: 'message=x', headers: FORM }),
    relative.fetch('/memorial/other', { method: 'POST', body: 'message=x', headers: FORM }),
    relative.fetch(`/invite/${token}/more`, { method: 'POST', body: 'message=x', headers: FORM }),
  ]
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([405, 405, 405, 405])
  expect(await commentsOf(owner, path)).toEqual([])
  expect(await mediaRowsOf(memorial.id)).toEqual([])
})
