import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { line as lineOf } from '#shared/text.ts'
import { Client, memorialOf } from '../../../../test/worker/harness.ts'
import { NAUGHTY_LINES } from '../../../../test/worker/hostile/naughty-lines.ts'

type Entry = Record<string, string>

/** Parses an iCalendar file as RFC 5545 says: unfold, split at the first colon, undo the TEXT escapes. */
function parse(file: string): Entry[] {
  const lines = file.replaceAll('\r\n ', '').split('\r\n')
  const entries: Entry[] = []
  for (const line of lines) {
    const at = line.indexOf(':')
    const [name, value] = [line.slice(0, at), line.slice(at + 1)]
    if (line === 'BEGIN:VEVENT') entries.push({})
    else if (line !== '' && name !== 'END') Object.assign(entries.at(-1) ?? {}, { [name]: unescape(value) })
  }
  return entries
}

function unescape(value: string): string {
  return value.replaceAll(/\\(.)/gu, (_, character: string) => (character === 'n' ? '\n' : character))
}

async function calendarOf(input: object, name = 'Tendai Moyo') {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED', name })
  const { body: event } = await owner.put(`/api/memorials/${memorial.id}/funeral`, input)
  const answer = await new Client().get<string>(`/api/memorials/${memorial.id}/funeral.ics`)
  return { owner, memorial, event, ...answer }
}

test('a service is a two-hour calendar entry in UTC with place, notes and directions', async () => {
  const { memorial, event, status, headers, body } = await calendarOf({
    title: 'Church service',
    dateTime: '2026-06-06T10:00',
    venueName: 'St Mary’s; Cathedral',
    city: 'Harare',
    country: 'Zimbabwe',
    notes: 'Bring flowers,\nplease',
  })
  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toBe('text/calendar; charset=utf-8')
  expect(headers.get('Cache-Control')).toBe('private, no-store')
  expect(headers.get('Content-Disposition')).toContain(`attachment; filename="${memorial.slug}.ics"`)
  expect(parse(body)).toEqual([
    {
      UID: `${event.id}@localhost`,
      DTSTAMP: expect.stringMatching(/^\d{8}T\d{6}Z$/u),
      'LAST-MODIFIED': expect.stringMatching(/^\d{8}T\d{6}Z$/u),
      DTSTART: '20260606T080000Z',
      DTEND: '20260606T100000Z',
      SUMMARY: 'Church service: Tendai Moyo',
      LOCATION: 'St Mary’s; Cathedral, Harare, Zimbabwe',
      DESCRIPTION: [
        'Bring flowers,',
        'please',
        'Saturday, 6 June 2026 at 10:00 (Africa/Harare)',
        `Directions: https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent('St Mary’s; Cathedral, Harare, Zimbabwe')}`,
        `Memorial page: http://localhost/m/${memorial.slug}`,
      ].join('\n'),
    },
  ])
})

test.each([
  'END:VEVENT',
  'a\\nBEGIN:VEVENT',
  'back\\slash, comma; semicolon: colon "quote"',
  `${'😀'.repeat(60)} ${'ü'.repeat(60)}`,
  'x'.repeat(74),
  'ATTACH;VALUE=URI:file:///etc/passwd',
])('a hostile or long title stays one line: %s', async (title) => {
  const { body } = await calendarOf({
    dateTime: '2026-06-06T10:00',
    title,
    notes: `${title}\r\nEND:VCALENDAR`,
  })
  const encoder = new TextEncoder()
  const lines = body.split('\r\n')
  expect(lines.filter((line) => encoder.encode(line).byteLength > 75)).toEqual([])
  expect(
    lines.filter((line) => line.includes('\n') || line.includes('\r') || line.includes('\ufffd')),
  ).toEqual([])
  expect(lines.filter((line) => line === 'BEGIN:VEVENT' || line === 'END:VCALENDAR')).toHaveLength(2)
  expect(body.endsWith('END:VCALENDAR\r\n')).toBe(true)
  const [entry] = parse(body)
  expect(entry?.['SUMMARY']).toBe(`${title}: Tendai Moyo`)
  expect(entry?.['DESCRIPTION']).toContain(`${title}\nEND:VCALENDAR\n`)
})

const INJECTED = [
  'BEGIN:VALARM',
  'END:VEVENT\nBEGIN:VEVENT',
  'x\r\nATTENDEE:mailto:evil@evil.example',
  '\\nATTACH:https://evil.example/',
  '\\\\, \\; \\N',
]

test('an independent parser reads hostile strings as the text of one entry', async () => {
  const { owner, path } = await memorialOf({ privacy: 'LOCKED' })
  const addressFields = ['venueName', 'addressLine', 'city', 'region', 'country']
  const expected: string[] = []
  const found: string[] = []
  for (let start = 0; start < NAUGHTY_LINES.length; start += 6) {
    const [title = '', ...others] = NAUGHTY_LINES.slice(start, start + 6)
    const address = Object.fromEntries(others.map((text, index) => [addressFields[index], text]))
    const notes = `${title}\n${INJECTED[(start / 6) % INJECTED.length]}\n${others[0]}`
    const input = { dateTime: '2026-06-06T10:00', title, notes, ...address }
    const { body: event } = await owner.put(`${path}/funeral`, input)
    const { body } = await owner.get<string>(`${path}/funeral.ics`)
    const calendar = new ICAL.Component(ICAL.parse(body) as unknown[])
    const parts = calendar.getAllSubcomponents()
    expect(parts.map((part) => [part.name, part.getAllSubcomponents().length])).toEqual([['vevent', 0]])
    const names = parts[0]?.getAllProperties().map(({ name }) => name)
    expect(names?.filter((name) => name !== 'sequence')).toEqual(
      'uid dtstamp last-modified dtstart dtend summary location description'.split(' '),
    )
    const { summary, location, description } = new ICAL.Event(parts[0])
    found.push(summary, location, description.slice(0, event.notes.length))
    const clean = (text: string) => z.parse(lineOf({ max: 200 }), text)
    expected.push(`${clean(title)}: Tendai Rudo Moyo`, others.map(clean).join(', '), event.notes)
  }
  expect(found).toEqual(expected)
})

test('a moved service keeps its UID, and one service can be downloaded alone', async () => {
  const { owner, memorial, event } = await calendarOf({ dateTime: '2026-06-06T10:00' })
  const path = `/api/memorials/${memorial.id}`
  const { body: second } = await owner.post(`${path}/funeral-events`, { dateTime: '2026-06-07T10:00' })
  await owner.patch(`${path}/funeral-events/${event.id}`, { dateTime: '2026-06-08T10:00' })
  const all = parse((await owner.get(`${path}/funeral.ics`)).body)
  expect(all.map((entry) => [entry['UID'], entry['DTSTART']])).toEqual([
    [`${second.id}@localhost`, '20260607T080000Z'],
    [`${event.id}@localhost`, '20260608T080000Z'],
  ])
  const one = parse((await owner.get(`${path}/funeral.ics?event=${event.id}`)).body)
  expect(one.map((entry) => entry['UID'])).toEqual([`${event.id}@localhost`])
  expect((await owner.get(`${path}/funeral.ics?event=fun_other`)).status).toBe(404)
})

test('the calendar has the burial place only for viewers who may see it', async () => {
  const { owner, memorial, body } = await calendarOf({ dateTime: '2026-06-06T10:00' })
  const path = `/api/memorials/${memorial.id}`
  await owner.put(`${path}/location`, { latitude: -17.829167, longitude: 31.052222, label: 'Family plot' })
  expect(parse(body)[0]).not.toHaveProperty('GEO')
  const anyone = new Client()
  expect((await anyone.get(`${path}/funeral.ics`)).body).not.toContain('17.829')
  expect(parse((await owner.get(`${path}/funeral.ics`)).body)[0]?.['GEO']).toBe('-17.829167;31.052222')
  await owner.patch(path, { showLocation: true })
  const [entry] = parse((await anyone.get(`${path}/funeral.ics`)).body)
  expect(entry?.['GEO']).toBe('-17.829167;31.052222')
  expect(entry?.['DESCRIPTION']).toContain('Burial place: https://www.google.com/maps/dir/')
})

test('the calendar links to the memorial only while it is public', async () => {
  const { owner, memorial, body } = await calendarOf({ dateTime: '2026-06-06T10:00' })
  const path = `/api/memorials/${memorial.id}`
  expect(parse(body)[0]?.['DESCRIPTION']).toContain(`Memorial page: http://localhost/m/${memorial.slug}`)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const { body: own } = await owner.get<string>(`${path}/funeral.ics`)
  expect(parse(own)[0]?.['DESCRIPTION']).not.toContain('Memorial page')
})

test('a memorial without a service has no calendar', async () => {
  const { owner, memorial } = await memorialOf()
  expect((await owner.get(`/api/memorials/${memorial.id}/funeral.ics`)).status).toBe(404)
})
