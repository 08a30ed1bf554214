import { expect, test } from 'vitest'
import type { FuneralEventInput } from '#shared/funeral/funeral.ts'
import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'
import { gatheringMessages } from '#shared/funeral/gathering-messages.ts'
import { memorialPage } from '#worker/pages/memorial-page.ts'
import { Client, inviteTokenOf, memorialOf, ORIGIN, testCtx } from '../harness.ts'

type Input = Partial<FuneralEventInput> & { dateTime: string }

/** A memorial with a life story and these gatherings. */
async function withGatherings(gatherings: Input[], privacy: 'LOCKED' | 'INVITE' = 'LOCKED') {
  const { owner, memorial, path } = await memorialOf({ privacy })
  await owner.patch(path, { lifeStory: '<p>She stayed.</p>' })
  const ids: string[] = []
  for (const gathering of gatherings) {
    const { body } = await owner.post<{ id: string }>(`${path}/funeral-events`, gathering)
    ids.push(body.id)
  }
  return { owner, memorial, path, ids }
}

/** The public page as the Worker writes it at this moment. */
async function writtenAt(slug: string, instant: string | number, search = '') {
  const now = typeof instant === 'number' ? instant : Date.parse(instant)
  const answer = await memorialPage(
    testCtx(() => now),
    new URL(`${ORIGIN}/m/${slug}${search}`),
  )
  const html = (await answer?.text()) ?? ''
  return { html, etag: answer?.headers.get('ETag') }
}

/** The words of the section, between tags, and whether it comes before the life story. */
function funeralOf(html: string) {
  const section = /<section id="funeral".*?<\/section>/su.exec(html)?.[0] ?? ''
  const words = section.replaceAll(/<[^>]+>/gu, '|').split('|')
  return {
    words: words.map((word) => word.trim()).filter(Boolean),
    isFirst: html.indexOf('id="funeral"') < html.indexOf('id="story"'),
  }
}

test('the page is written for its moment: before, on the day, live, over, folded', async () => {
  const { memorial } = await withGatherings([
    { kind: 'VIEWING', dateTime: '2031-06-06T14:00' },
    {
      kind: 'BURIAL',
      dateTime: '2031-06-07T10:00',
      endDateTime: '2031-06-07T13:30',
      streamUrl: 'https://www.youtube.com/watch?v=1',
      recordingUrl: 'https://vimeo.com/1',
    },
  ])
  const says = async (instant: string) => {
    const { words, isFirst } = funeralOf((await writtenAt(memorial.slug, instant)).html)
    const telling = /^(?:Body viewing|Burial|To|Sat|Fri\w+ 6|Begins|Live|Watch|Took|Funeral,|, until)/u
    return [isFirst, ...words.filter((word) => telling.test(word) && word !== 'Sat')]
  }
  expect(await says('2031-06-01T00:00:00Z')).toEqual([
    true,
    'Body viewing',
    'Friday 6 June 2031, 14:00, Harare time',
    'Burial',
    'Saturday 7 June 2031, 10:00, Harare time',
    ', until 13:30',
    'Watch',
    'Begins Saturday 7 June 2031, 10:00, Harare time',
  ])
  expect(await says('2031-06-05T22:00:00Z')).toEqual([
    true,
    'Body viewing',
    'Today, 14:00, Harare time',
    'Burial',
    'Tomorrow, 10:00, Harare time',
    ', until 13:30',
    'Watch',
    'Begins tomorrow, 10:00, Harare time',
  ])
  const lastDay = ['Burial', 'Today, 10:00, Harare time', ', until 13:30', 'Watch']
  const viewing = ['Body viewing', 'Took place on', 'Friday 6 June 2031, 14:00, Harare time']
  expect(await says('2031-06-07T06:00:00Z')).toEqual([true, ...lastDay, 'Begins in 2 h', ...viewing])
  expect(await says('2031-06-07T08:00:00Z')).toEqual([true, ...lastDay, 'Live now', ...viewing])
  const burial = ['Burial', 'Took place on', 'Saturday 7 June 2031, 10:00, Harare time', 'Watch']
  expect(await says('2031-06-07T11:30:00Z')).toEqual([true, ...viewing, ...burial])
  expect(await says('2031-06-10T11:29:00Z')).toEqual([true, ...viewing, ...burial])
  expect(await says('2031-06-10T11:30:00Z')).toEqual([false, 'Funeral, 7 June 2031', ...viewing, ...burial])
})

test('a stream is a link after a tap that says what it costs, and nothing of it loads', async () => {
  const { memorial } = await withGatherings([
    {
      dateTime: '2031-06-07T10:00',
      streamUrl: 'https://www.youtube.com/watch?v=1',
      recordingUrl: 'https://vimeo.com/1',
    },
  ])
  const watch = async (instant: string) =>
    /<details class="[^"]*">(?:<summary data-plain="true".*?<\/details>)/su
      .exec((await writtenAt(memorial.slug, instant)).html)?.[0]
      .replaceAll(/ class="[^"]*"|<!-- -->/gu, '')
  const details = (title: string, host: string, url: string) =>
    `<details><summary data-plain="true">${title}</summary><p>${gatheringMessages.watchingCosts}</p>` +
    `<p><a href="${url}" target="_blank" rel="noopener noreferrer">Go to ${host}</a></p></details>`
  expect(await watch('2031-06-07T07:00:00Z')).toBe(
    details('Watch on youtube.com', 'youtube.com', 'https://www.youtube.com/watch?v=1'),
  )
  const { html } = await writtenAt(memorial.slug, '2031-06-07T10:00:00Z')
  expect(await watch('2031-06-07T10:00:00Z')).toBe(
    details('Watch the recording on vimeo.com', 'vimeo.com', 'https://vimeo.com/1'),
  )
  expect([html.includes('youtube'), html.includes('<iframe')]).toEqual([false, false])
})

test('between two turns the page is the same to the byte, and says when it ends', async () => {
  const { memorial } = await withGatherings([{ dateTime: '2031-06-07T10:00' }])
  const midnight = Date.parse('2031-06-06T22:00:00Z')
  const [before, first, later] = [
    await writtenAt(memorial.slug, midnight - 1),
    await writtenAt(memorial.slug, midnight),
    await writtenAt(memorial.slug, midnight + 5 * MINUTE_MS),
  ]
  expect(later.etag).toBe(first.etag)
  expect(before.etag).not.toBe(first.etag)
  const turns = / data-for="(\d+)" data-turn="(\d+)">/u.exec(later.html)?.slice(1).map(Number)
  expect(turns).toEqual([midnight, Date.parse('2031-06-07T08:00:00Z')])
})

test('a change says what is new and when that was said; a cancellation leaves no links', async () => {
  const { owner, memorial, path, ids } = await withGatherings([
    { kind: 'BURIAL', dateTime: '2031-06-07T10:00', venueName: 'Yeovil Cemetery' },
    { kind: 'CHURCH', dateTime: '2031-06-07T08:00', streamUrl: 'https://zoom.us/j/1' },
  ])
  // A correction within an hour of entering would leave no mark.
  await testCtx().env.DB.prepare('UPDATE funeral_events SET created_at = 0').run()
  await owner.patch(`${path}/funeral-events/${ids[0]}`, {
    dateTime: '2031-06-07T11:00',
    timeZone: 'Africa/Harare',
  })
  await owner.patch(`${path}/funeral-events/${ids[1]}`, { isCancelled: true })
  const shown = async (now: number) => {
    const { html } = await writtenAt(memorial.slug, now)
    return [...html.matchAll(/<article.*?<\/article>/gsu)].map(([article]) => ({
      name: /<\/svg>([^<]*)/u.exec(article)?.[1],
      notice: /<p class="[^"]*notice.*?<\/p>/su.exec(article)?.[0].replaceAll(/<[^>]+>/gu, ''),
      links: [...article.matchAll(/<a [^>]*>(.*?)<\/a>/gu)].map(([, link]) => link),
    }))
  }
  const links = ['Add to calendar', 'Directions']
  expect(await shown(Date.now())).toEqual([
    { name: 'Burial', notice: 'Changed today: now 11:00 (was 10:00)', links },
    { name: 'Church service', notice: 'Cancelled today', links: [] },
  ])
  const [burial] = await shown(Date.now() + DAY_MS)
  expect(burial?.notice).toBe('Changed yesterday: now 11:00 (was 10:00)')
})

test('the first card is the next gathering; what is far down the list is in a fold', async () => {
  const listed = async (months: number[]) => {
    const { memorial } = await withGatherings([
      { kind: 'BURIAL', dateTime: '2031-06-07T10:00' },
      ...months.map((month) => ({
        kind: 'NYARADZO' as const,
        title: `Month ${month}`,
        dateTime: `2032-0${month}-07T10:00`,
      })),
    ])
    const { words } = funeralOf((await writtenAt(memorial.slug, '2031-06-01T00:00:00Z')).html)
    return words.filter((word) => /^(?:Burial|Month|\d+ more|Subscribe|Print)/u.test(word))
  }
  const shown = ['Burial', 'Month 1', 'Month 2', 'Month 3']
  const links = ['Subscribe in your calendar', 'Print all gatherings']
  expect([await listed([1, 2, 3, 4, 5]), await listed([1, 2, 3, 4])]).toEqual([
    [...shown, '2 more gatherings, until 7 May 2032', 'Month 4', 'Month 5', ...links],
    [...shown, '1 more gathering, on 7 April 2032', 'Month 4', ...links],
  ])
})

test('the sheet of all gatherings is at each address of a memorial', async () => {
  const gathering = { dateTime: '2031-06-07T10:00', wayThere: 'Second left after the Shell' } as const
  const open = await withGatherings([gathering])
  const invited = await withGatherings([gathering], 'INVITE')
  const token = await inviteTokenOf(invited.owner, invited.memorial.id)
  const { html } = await writtenAt(open.memorial.slug, '2031-06-01T00:00:00Z', '?print=gatherings')
  const answer = await new Client().fetch(`/memorial/${invited.memorial.id}?print=gatherings&invite=${token}`)
  const personal = await answer.text()
  for (const page of [html, personal]) {
    expect(page).toContain('Second left after the Shell')
    expect(page).not.toContain('id="funeral"')
  }
  // The code leads to the public page, which this memorial doesn't have.
  expect([html.includes('/code.svg'), personal.includes('/code.svg')]).toEqual([true, false])
  expect(personal).toContain(`href="/memorial/${invited.memorial.id}?invite=${token}"`)
})

test('invited people subscribe with their link, and see whom a gathering is for', async () => {
  const { owner, memorial } = await withGatherings(
    [{ dateTime: '2031-06-07T10:00', audience: 'INVITED' }],
    'INVITE',
  )
  const token = await inviteTokenOf(owner, memorial.id)
  const html = await (await new Client().fetch(`/invite/${token}`)).text()
  const feed = `://localhost/api/memorials/${memorial.id}/funeral.ics?feed=1&amp;invite=${token}`
  const cid = encodeURIComponent(`webcal${feed.replace('&amp;', '&')}`)
  const parts = [
    gatheringMessages.invitedOnly,
    `href="webcal${feed}"`,
    `href="https://calendar.google.com/calendar/r?cid=${cid}"`,
    `${feed}</span>`,
  ]
  expect(parts.filter((part) => !html.includes(part))).toEqual([])
})
