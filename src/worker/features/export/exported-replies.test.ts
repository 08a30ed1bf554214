import { expect, test } from 'vitest'
import { memorialExport } from '#shared/export.ts'
import { download } from '../../../../test/worker/exported.ts'
import { gatheringOf, replied } from '../../../../test/worker/replies.ts'

test('the owner’s copy holds each gathering and who comes, without anybody’s address', async () => {
  const { owner, memorial, replies } = await gatheringOf({
    endDateTime: '2031-06-06T13:00',
    pin: { latitude: -18.97, longitude: 32.67 },
    contact: 'Tariro, 0772 000 000',
    capacity: 80,
    repliesUntil: '2031-06-04T18:00',
  })
  const name = '<b>Farai</b>'
  await replied(replies, { name, people: 3, words: 'Go well', email: 'farai@relative.test' })
  await replied(replies, { answer: 'AFAR', name: 'Chipo' })
  await replied(replies, { answer: 'SORRY', name: 'Ndapiwa' })
  const { text } = await download(owner, memorial.id)
  const { services } = memorialExport.parse(JSON.parse(text('memorial.json')))
  const createdAt = expect.any(String)
  const id = expect.stringMatching(/^rpl_/u)
  const sent = [
    { id, name, answer: 'COMING', people: 3, words: 'Go well', createdAt },
    { id, name: 'Chipo', answer: 'AFAR', people: 1, words: null, createdAt },
    { id, name: 'Ndapiwa', answer: 'SORRY', people: 1, words: null, createdAt },
  ]
  expect(services).toMatchObject([
    {
      kind: 'BURIAL',
      endDateTime: '2031-06-06T11:00:00.000Z',
      pin: { latitude: -18.97, longitude: 32.67 },
      contact: 'Tariro, 0772 000 000',
      contactFor: 'FAMILY',
      audience: 'EVERYBODY',
      isCancelled: false,
      takesReplies: true,
      capacity: 80,
      repliesUntil: '2031-06-04T16:00:00.000Z',
      keepReplies: false,
      replies: sent,
    },
  ])
  const page = text('index.html')
  expect(page).toContain('Coming: &lt;b&gt;Farai&lt;/b&gt; (3)')
  expect(page).toContain('From afar: Chipo')
  expect(page).not.toContain('Ndapiwa')
  const account = await (await owner.request('GET', '/api/account/export')).text()
  expect(JSON.parse(account).memorials[0].services[0].replies).toEqual(sent)
  expect(`${text('memorial.json')}${page}${account}`).not.toContain('farai@relative.test')
})
