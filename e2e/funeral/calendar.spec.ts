import { readFileSync } from 'node:fs'
import ICAL from 'ical.js'
import type { FuneralEvent } from '../../src/shared/funeral/funeral.ts'
import type { Memorial } from '../../src/shared/memorials/memorials.ts'
import { saved } from '../people.ts'
import { expect, type Family, test } from '../family.ts'

const LINE_MAX_OCTETS = 75

test.use({ viewport: { width: 360, height: 740 } })

type Service = { title?: string; dateTime: string; timeZone?: string; venueName?: string; notes?: string }
type Made = { url: string; memorial: Memorial; services: FuneralEvent[] }

/** Creates a public memorial with these services, ordered by time. */
async function memorialWith(
  family: Family,
  services: Service[],
  honoureeFullName = 'Tendai Moyo',
): Promise<Made> {
  const { owner } = family
  const memorial = await family.memorial('PRIVATE', { honoureeFullName })
  const path = `/api/memorials/${memorial.id}`
  for (const service of services) await owner.call('POST', `${path}/funeral-events`, service)
  await family.setPrivacy(memorial.id, 'LOCKED')
  const { funeralEvents } = await owner.call<{ funeralEvents: FuneralEvent[] }>(
    'GET',
    `${path}/funeral-events`,
  )
  return { url: `${owner.url}${path}/funeral.ics`, memorial, services: funeralEvents }
}

/** The lines of the served file. Each is decoded as UTF-8 alone, so a fold inside a character fails. */
async function fileOf(created: Made, query = ''): Promise<{ text: string; lines: string[] }> {
  const response = await fetch(`${created.url}${query}`)
  expect(response.status).toBe(200)
  const bytes = Buffer.from(await response.arrayBuffer())
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const lines: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n', at)
    expect(end, 'the last line ends as the others do').toBeGreaterThanOrEqual(at)
    const line = bytes.subarray(at, end)
    expect(line.length, line.toString()).toBeLessThanOrEqual(LINE_MAX_OCTETS)
    expect(line.includes(0x0a) || line.includes(0x0d), 'a line break that is not CR LF').toBe(false)
    lines.push(decoder.decode(line))
    at = end + 2
  }
  return { text: decoder.decode(bytes), lines }
}

function eventsOf(text: string): InstanceType<typeof ICAL.Event>[] {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
  return calendar.getAllSubcomponents('vevent').map((entry) => new ICAL.Event(entry))
}

const clockIn = (timeZone: string, instant: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    .format(instant)
    .replace(' ', 'T')

/** Every instant at which clocks in `timeZone` show `wall`, earliest first. It tries every 15 minutes. */
function instantsOf(wall: string, timeZone: string): number[] {
  const quarter = 15 * 60_000
  const asUtc = Date.parse(`${wall}:00Z`)
  const offsets = Array.from({ length: 2 * 15 * 4 + 1 }, (_, index) => (index - 15 * 4) * quarter)
  return offsets.map((offset) => asUtc + offset).filter((instant) => clockIn(timeZone, instant) === wall)
}

test("a calendar file has the instant of the service in its location's time zone", async ({ family }) => {
  const places: Service[][] = [
    [
      { dateTime: '2031-01-10T14:00' },
      { dateTime: '2031-01-11T14:00', timeZone: 'Europe/London' },
      { dateTime: '2031-06-07T10:00', timeZone: 'Africa/Harare' },
      { dateTime: '2031-07-12T10:30', timeZone: 'Europe/London' },
    ],
    // In New York clocks go forward on 9 March 2031 and back on 2 November.
    [
      { dateTime: '2031-03-08T11:00', timeZone: 'America/New_York' },
      { dateTime: '2031-03-09T11:00', timeZone: 'America/New_York' },
      { dateTime: '2031-11-01T23:00', timeZone: 'America/New_York' },
      { dateTime: '2031-11-02T11:00', timeZone: 'America/New_York' },
    ],
    // In a repeated hour the first instant counts; a skipped hour moves forward by one hour.
    [
      { dateTime: '2031-11-02T01:30', timeZone: 'America/New_York' },
      { dateTime: '2032-03-14T02:30', timeZone: 'America/New_York' },
      { dateTime: '2032-03-20T09:15', timeZone: 'Asia/Kathmandu' },
    ],
  ]
  const found: [string, number][] = []
  for (const services of places) {
    const created = await memorialWith(family, services)
    const { text } = await fileOf(created)
    const entries = eventsOf(text)
    expect(entries).toHaveLength(services.length)
    for (const [index, entry] of entries.entries()) {
      const { dateTime, timeZone = 'Africa/Harare' } = services[index] ?? { dateTime: '' }
      const start = entry.startDate.toJSDate().getTime()
      found.push([`${dateTime} ${timeZone}`, start])
      expect(entry.duration.toSeconds(), 'two hours').toBe(7200)
      expect(entry.endDate.toJSDate().getTime() - start).toBe(7_200_000)
    }
    // A second request returns the same file, and each service has its own entry.
    expect((await fileOf(created)).text).toBe(text)
    expect(new Set(entries.map(({ uid }) => uid)).size).toBe(services.length)
    // The file of a single service contains the same entry.
    const last = eventsOf((await fileOf(created, `?event=${created.services.at(-1)?.id}`)).text)
    expect(last.map(String)).toEqual(entries.slice(-1).map(String))
  }
  const wanted = places.flat().map(({ dateTime, timeZone = 'Africa/Harare' }): [string, number] => {
    const [first = Number.NaN] = instantsOf(
      dateTime === '2032-03-14T02:30' ? '2032-03-14T03:30' : dateTime,
      timeZone,
    )
    return [`${dateTime} ${timeZone}`, first]
  })
  expect(found).toEqual(wanted)
  expect(instantsOf('2031-11-02T01:30', 'America/New_York'), 'this hour comes twice').toHaveLength(2)
  expect(instantsOf('2032-03-14T02:30', 'America/New_York'), 'this hour is left out').toEqual([])
})

test('names in any script come through a calendar file unchanged', async ({ family }) => {
  const name = 'Ambuya “Gogo” Moyo, née Ncube; a\\b \\n 🌸 Þórður 陳大文'
  const services: Service[] = [0, 1, 2, 3].map((shift) => ({
    dateTime: `2031-06-0${shift + 1}T10:00`,
    // A flower has four bytes. With four start offsets, a fold falls next to each of its bytes.
    title: `${'x'.repeat(shift)}${'🌸'.repeat(60)}`,
    venueName: `${'é'.repeat(60 + shift)}, St Mary’s; Hall \\ “B”`,
    notes: `Bring flowers,\nplease; no “lilies”\n\n\\n is not a line break: END:VEVENT\n👩🏽‍🏫 ${'ü'.repeat(80)}`,
  }))
  const created = await memorialWith(family, services, name)
  const { text, lines } = await fileOf(created)
  const entries = eventsOf(text)
  expect(entries.map(({ summary }) => summary)).toEqual(services.map(({ title }) => `${title}: ${name}`))
  expect(entries.map(({ location }) => location)).toEqual(services.map(({ venueName }) => venueName))
  for (const [index, { description }] of entries.entries()) {
    expect(description.startsWith(`${services[index]?.notes}\n`), description).toBe(true)
    expect(description).toContain(`/m/${created.memorial.slug}`)
  }
  // Not every reader is tolerant: every comma, semicolon and backslash in a text is escaped (RFC 5545, 3.3.11).
  const texts = text.replaceAll('\r\n ', '').matchAll(/^(?:SUMMARY|LOCATION|DESCRIPTION):(.*)\r$/gmu)
  const bare = [...texts].map(([, value = '']) => value.replaceAll(/\\[\\;,n]/gu, ''))
  expect(bare).toHaveLength(3 * services.length)
  expect(bare.filter((value) => /[\\;,]/u.test(value))).toEqual([])
  expect(lines.filter((line) => line.startsWith(' ')).length, 'long lines are folded').toBeGreaterThan(
    services.length * 10,
  )
})

test('"Add to calendar" saves the file of that service', async ({ page, family }) => {
  const created = await memorialWith(family, [
    { title: 'Church service', dateTime: '2031-06-06T08:00' },
    { title: 'Burial', dateTime: '2031-06-07T10:00', timeZone: 'Europe/London' },
  ])
  await page.goto(`/m/${created.memorial.slug}`)
  for (const { id, title } of created.services) {
    const button = page
      .getByRole('article')
      .filter({ hasText: title ?? '' })
      .getByRole('link', { name: 'Add to calendar' })
    const download = await saved(page, button.click())
    expect(download.suggestedFilename()).toBe(`${created.memorial.slug}.ics`)
    const file = readFileSync(await download.path(), 'utf8')
    expect(file).toBe((await fileOf(created, `?event=${id}`)).text)
    expect(eventsOf(file).map(({ summary }) => summary)).toEqual([`${title}: Tendai Moyo`])
  }
  await expect(page).toHaveURL(`/m/${created.memorial.slug}`)
})
